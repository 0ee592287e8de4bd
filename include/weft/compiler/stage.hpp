#pragma once
// One pass as one constant evaluation, or as several where the program is long. Law: a stage computes what
// the pass would from a Module in memory, whatever the number of its pieces.
//
// A pass is an empty struct:
//
//   struct PlanMemory {
//     static constexpr std::string_view name = "plan_memory";
//     static constexpr Part makes = Part::plan;
//     using reads = Parts<Part::graph, Part::fusion>;
//     static constexpr int capacity(int graph, int before);  // words, from those of the graph and of the
//                                                            // stage before
//     static constexpr void run(Module& m);
//   };
//
// One that changes a part that it reads names it `changes`. One that grows with the program also has `piece`,
// the most that one evaluation takes on, size(m), how much there is, run(m, first, last), and `state`, the
// part that a piece leaves to the next.

#include <string_view>
#include <type_traits>

#include "weft/compiler/module.hpp"

namespace WEFT_NAMESPACE::compiler {

template <Part... P>
struct Parts {};

// A source of graphs, which has graph(), or a stage behind one.
template <class Pass, class Previous, int Piece = 0>
struct Stage;

// The last of the stages up to From that made part P; for the graph that may be the source.
template <Part P, class From>
struct Latest {
  static_assert(P == Part::graph, "weft: a pass reads what no pass before it makes");
  using type = From;
};
template <Part P, class Pass, class Previous, int Piece>
struct Latest<P, Stage<Pass, Previous, Piece>> {
  using type = typename std::conditional_t<Pass::makes == P, std::type_identity<Stage<Pass, Previous, Piece>>,
                                           Latest<P, Previous>>::type;
};
template <Part P, class From>
using latest = typename Latest<P, From>::type;

template <class From>
inline constexpr bool is_stage = false;
template <class Pass, class Previous, int Piece>
inline constexpr bool is_stage<Stage<Pass, Previous, Piece>> = true;

// How many words a stage or a source writes, or is guessed to.
template <class From>
constexpr int words_of() {
  if constexpr (is_stage<From>)
    return Kept<From>::size;
  else
    return capacity_of<From>();
}

// Brings part P, as it is behind From, into m.
template <Part P, class From>
constexpr void load(Module& m) {
  using At = latest<P, From>;
  if constexpr (is_stage<At>)
    PartOf<P>::template load<At>(m);
  else
    m.graph = At::graph();
}

// How many pieces of that length `count` makes; at least one.
constexpr int pieces_of(int count, int length) { return count > 0 ? (count - 1) / length + 1 : 1; }

template <class Pass, class Previous>
struct StageInput {
  template <Part... P>
  static constexpr void load_all(Module& m, Parts<P...>) {
    (load<P, Previous>(m), ...);
  }
  static constexpr void into(Module& m) {
    load_all(m, typename Pass::reads{});
    if constexpr (requires { Pass::changes; }) {
      static_assert(Pass::changes == Pass::makes);
      PartOf<Pass::changes>::template resume<latest<Pass::changes, Previous>>(m);
    }
  }
  static constexpr int count_pieces() {
    if constexpr (requires { Pass::piece; }) {
      Module m;
      into(m);
      return pieces_of(Pass::size(m), Pass::piece);
    } else {
      return 1;
    }
  }
  static constexpr int pieces = count_pieces();
};

template <class Pass, class Previous, int Piece>
struct Stage {
  using Input = StageInput<Pass, Previous>;
  static constexpr int capacity =
      Pass::capacity(words_of<latest<Part::graph, Previous>>(), words_of<Previous>());
  static constexpr void write(WordWriter& w) {
    Module m;
    Input::into(m);
    if constexpr (requires { Pass::piece; }) {
      if constexpr (Piece > 0) PartOf<Pass::state>::template resume<Stage<Pass, Previous, Piece - 1>>(m);
      const int size = Pass::size(m), first = Piece * Pass::piece;
      Pass::run(m, first, size - first < Pass::piece ? size : first + Pass::piece);
      PartOf<Piece + 1 == Input::pieces ? Pass::makes : Pass::state>::write(w, m);
    } else {
      Pass::run(m);
      PartOf<Pass::makes>::write(w, m);
    }
  }
};

// The stage behind which a pass is whole.
template <class Previous, class Pass>
using next = Stage<Pass, Previous, StageInput<Pass, Previous>::pieces - 1>;

template <class... Pass>
struct PassList {};

// The stage behind which all of a list are.
template <class Previous, class List>
struct Through {
  using type = Previous;
};
template <class Previous, class Pass, class... More>
struct Through<Previous, PassList<Pass, More...>> {
  using type = typename Through<next<Previous, Pass>, PassList<More...>>::type;
};
template <class Previous, class List>
using through = typename Through<Previous, List>::type;

// Runs a pass on a module in memory.
template <class Pass>
constexpr void run(Module& m) {
  if constexpr (requires { Pass::piece; })
    Pass::run(m, 0, Pass::size(m));
  else
    Pass::run(m);
}

}  // namespace WEFT_NAMESPACE::compiler
