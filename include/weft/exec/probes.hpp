#pragma once
// Probes of a compiled program: which values of the trace they are, as words behind its graph, and from these
// their types. Law: a probe that was asked for is one more result of the program, behind all others.

#include "weft/core/constexpr_stage.hpp"
#include "weft/exec/tensor.hpp"
#include "weft/ops/core/probe.hpp"

namespace WEFT_NAMESPACE {

// Asked: the name; Found: those that the trace has.
template <FixedString Name>
struct ProbeName {};
WEFT_REFUSAL(ProbeExists,
             "probes: no value is marked by this name (those that are marked stand behind it in this "
             "message; one in the body of a loop or of vmap cannot be read)");
WEFT_REFUSAL(ProbeAskedFor,
             "get_probe: the program keeps no such probe; ask for it by probes<\"name\"> when it is "
             "compiled, and count its places from 0");

WEFT_REFUSAL(ProbeIsNamed,
             "get_probe: the name is a template argument, known while compiling: f.get_probe<\"hidden\">()");

namespace exec {

// A row of the table: which of the asked names (-1: none), the result's number, dtype, rank, extents, the
// length of the name and its characters. The last word is the table's size.
inline constexpr int probe_words = 5 + max_rank;

// Makes the asked ones of `found` results of the graph and writes the table.
template <class Names>
constexpr void add_probes(ir::Graph& g, const List<ir::Probe>& found, List<u64>& table) {
  for (const ir::Probe& p : found) {
    const int which = Names::find(p.name);
    table.push(static_cast<u64>(static_cast<i64>(which)));
    table.push(static_cast<u64>(g.outputs.size()));
    table.push(static_cast<u64>(g.nodes[p.node].dtype));
    const Dims& d = g.dims(p.node);
    table.push(static_cast<u64>(d.rank));
    for (int k = 0; k < max_rank; ++k) table.push(static_cast<u64>(d.extent[k]));
    table.push(static_cast<u64>(p.name.size()));
    for (const char c : p.name) table.push(static_cast<u64>(static_cast<unsigned char>(c)));
    if (which >= 0) g.outputs.push(p.node);
  }
}

// The table that Stage wrote last.
template <class Stage, class Names>
struct ProbeTable {
  static constexpr const u64* words = Kept<Stage>::data;
  static constexpr int end = Kept<Stage>::size - 1;
  static constexpr int begin = end - static_cast<int>(words[end]);

  static constexpr int next(int at) {
    return at + probe_words + static_cast<int>(words[at + probe_words - 1]);
  }
  // The row of the nth place that is marked by asked name `which`; -1: there is none.
  static constexpr int row(int which, int nth) {
    for (int at = begin; at < end; at = next(at))
      if (static_cast<i64>(words[at]) == which && nth-- == 0) return at;
    return -1;
  }
  template <int At>
  struct Type {
    static constexpr int output = static_cast<int>(words[At + 1]);
    static constexpr Dims make() {
      Dims d;
      d.rank = static_cast<int>(words[At + 3]);
      for (int k = 0; k < d.rank; ++k) d.extent[k] = static_cast<i64>(words[At + 4 + k]);
      return d;
    }
    static constexpr Dims value = make();
    using dtype = ctype<static_cast<DType>(words[At + 2])>;
    using shape = shape_of<Type>;
  };

  template <FixedString Asked>
  static constexpr bool found = row(Names::find(Asked.view()), 0) >= 0;

  template <int At>
  static constexpr auto name() {
    FixedString<static_cast<std::size_t>(words[At + probe_words - 1])> text;
    for (std::size_t k = 0; k < text.size(); ++k)
      text.text[k] = static_cast<char>(words[At + probe_words + static_cast<int>(k)]);
    return text;
  }
  // ProbeExists of one name, with all that are marked.
  template <bool Ok, class Asked, int At = begin, class... Found>
  static constexpr auto cause() {
    if constexpr (Ok || At >= end)
      return static_cast<ProbeExists<Ok, Asked, Found...>*>(nullptr);
    else
      return cause<Ok, Asked, next(At), Found..., ProbeName<name<At>()>>();
  }
};

template <class Stage, class Names>
struct ProbeCheck {
  using Table = ProbeTable<Stage, Names>;
  template <FixedString... Asked>
  static constexpr bool call() {
    static_assert(
        ((sizeof(std::remove_pointer_t<
                 decltype(Table::template cause<Table::template found<Asked>, ProbeName<Asked>>())>) > 0) &&
         ... && true));
    return (Table::template found<Asked> && ... && true);
  }
};
// Whether every asked name is marked; where not, the sentence comes.
template <class Stage, class Names>
constexpr bool check_probes() {
  return Names::template pass_to<ProbeCheck<Stage, Names>>();
}

// The value of the nth place marked Name, a result of the program that Stage's graph became.
template <class Stage, class Names, FixedString Name, int Nth, class Instance>
auto probe_view(Instance& instance) {
  using Table = ProbeTable<Stage, Names>;
  constexpr int row =
      Nth >= 0 && Names::find(Name.view()) >= 0 ? Table::row(Names::find(Name.view()), Nth) : -1;
  static_assert(sizeof(ProbeAskedFor<(row >= 0), ProbeName<Name>>) > 0);
  if constexpr (row >= 0) {
    using Type = typename Table::template Type<row>;
    return instance.template result<typename Type::dtype, typename Type::shape, Type::output>();
  } else {
    return AfterRefusal{};
  }
}

}  // namespace exec
}  // namespace WEFT_NAMESPACE
