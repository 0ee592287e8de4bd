#pragma once
// Walks a model's state in declaration order: every Param and Buffer with its dotted name, as PyTorch's
// state_dict gives them ("h.3.attn.weight").

#include <string_view>

#include "weft/core/field.hpp"
#include "weft/nn/container.hpp"
#include "weft/nn/dropout.hpp"
#include "weft/nn/param.hpp"
#include "weft/nn/tied.hpp"

namespace WEFT_NAMESPACE::nn {

// A dotted name built while walking, and whether what it names lies in a Frozen. Inside a Stack it is the
// name of the first block's; `copies` are the blocks of each Stack around it, the outermost first, and
// `index_at` where the number of the block stands in the text.
struct Name {
  static constexpr int most = 160;
  char text[most]{};
  int size = 0;
  bool frozen = false;
  Dims copies;
  int index_at[max_rank]{};

  constexpr void append(std::string_view part) {
    if (size > 0 && size < most) text[size++] = '.';
    for (char c : part)
      if (size < most) text[size++] = c;
  }
  // Without a dot.
  constexpr void join(std::string_view part) {
    for (char c : part)
      if (size < most) text[size++] = c;
  }
  constexpr void append(int number) {
    if (size > 0 && size < most) text[size++] = '.';
    join_number(number);
  }
  constexpr std::string_view view() const { return {text, static_cast<std::size_t>(size)}; }

  // Into and out of the blocks of a Stack.
  constexpr void enter(i64 blocks) {
    append(0);
    if (copies.rank == max_rank) throw Error("nn/stack", "Stacks lie in one another more than 8 deep");
    index_at[copies.rank] = size - 1;
    copies.extent[copies.rank++] = blocks;
  }
  constexpr void leave() { copies.extent[--copies.rank] = 0; }
  // The name of copy k, where all copies are counted in the order of their names.
  constexpr Name of_copy(i64 k) const {
    i64 index[max_rank]{};
    for (int level = copies.rank; level-- > 0; k /= copies.extent[level])
      index[level] = k % copies.extent[level];
    Name out;
    out.frozen = frozen;
    int from = 0;
    for (int level = 0; level < copies.rank; ++level) {
      out.join(
          view().substr(static_cast<std::size_t>(from), static_cast<std::size_t>(index_at[level] - from)));
      out.join_number(index[level]);
      from = index_at[level] + 1;
    }
    out.join(view().substr(static_cast<std::size_t>(from)));
    return out;
  }
  // The copy whose name `given` is; -1: none.
  constexpr i64 copy_of(std::string_view given) const {
    i64 k = 0;
    std::size_t at = 0;
    int from = 0;
    for (int level = 0; level < copies.rank; ++level) {
      for (; from < index_at[level]; ++from, ++at)
        if (at >= given.size() || given[at] != text[from]) return -1;
      i64 index = 0;
      const std::size_t first = at;
      for (; at < given.size() && given[at] >= '0' && given[at] <= '9' && index < copies.extent[level]; ++at)
        index = 10 * index + (given[at] - '0');
      if (at == first || index >= copies.extent[level] || (given[first] == '0' && at > first + 1)) return -1;
      k = k * copies.extent[level] + index;
      ++from;
    }
    return given.substr(at) == view().substr(static_cast<std::size_t>(from)) ? k : -1;
  }

 private:
  constexpr void join_number(i64 number) {
    char digits[20]{};
    int n = 0;
    do digits[n++] = static_cast<char>('0' + number % 10), number /= 10;
    while (number > 0);
    while (n > 0 && size < most) text[size++] = digits[--n];
  }
};
// In a name's place where none is asked for: spelling names is most of what walking costs.
struct Unnamed {
  int size = 0;
  bool frozen = false;
  constexpr void append(std::string_view) {}
  constexpr void append(int) {}
  constexpr void join(std::string_view) {}
  constexpr void enter(i64) {}
  constexpr void leave() {}
};

template <class Block, int N = 0>
struct Stack;  // stack.hpp
template <class T>
inline constexpr bool is_stack = false;
template <class Block, int N>
inline constexpr bool is_stack<Stack<Block, N>> = true;

template <class T>
concept HasMemberSuffix = requires {
  T::member_suffix();
};

// Calls f(name, state) for every Param and Buffer inside `m`, once for all blocks of a Stack, and g(setting)
// for every Mode. An F that has `weft_visits_ties` is called for every Tied as well. `name`, a Name or an
// Unnamed, is that of `m`; it grows and shrinks on the way and is left as it was.
template <class M, class N, class F, class G>
constexpr void walk(M& m, N& name, F& f, G& g) {
  using T = std::remove_cvref_t<M>;
  const int here = name.size;
  if constexpr (is_state<T>) {
    f(name, m);
  } else if constexpr (std::is_same_v<T, Mode>) {
    g(m);
  } else if constexpr (is_tied<T>) {
    if constexpr (requires { typename F::weft_visits_ties; }) f(name, m);
  } else if constexpr (std::is_empty_v<T>) {
    // activations and function objects: nothing inside
  } else if constexpr (is_array_like<T>) {
    int i = 0;
    for (auto& item : m) {
      name.append(i++);
      walk(item, name, f, g);
      name.size = here;
    }
  } else if constexpr (is_sequential<T>) {
    int i = 0;
    const auto visit = [&](auto& layer) {
      name.append(i++);
      walk(layer, name, f, g);
      name.size = here;
    };
    std::apply([&](auto&... layer) { (visit(layer), ...); }, m.layers);
  } else if constexpr (is_stack<T>) {
    name.enter(T::blocks);
    walk(m.block, name, f, g);
    name.leave();
    name.size = here;
  } else if constexpr (is_spliced<T>) {
    walk(m.first, name, f, g);
    walk(m.rest, name, f, g);
  } else if constexpr (is_frozen<T>) {
    const bool before = name.frozen;
    name.frozen = true;
    walk(m.inner, name, f, g);
    name.frozen = before;
  } else if constexpr (std::is_class_v<T>) {
    if constexpr (requires { g.rate(m.p), m.mode.training; }) g.rate(m.p);
    if constexpr (requires { g.rate(m.dropout), m.mode.training; }) g.rate(m.dropout);
    for_each_field(m, [&](auto, std::string_view field, auto& member) {
      if constexpr (!is_spliced<std::remove_cvref_t<decltype(member)>>) name.append(field);
      if constexpr (HasMemberSuffix<T>) name.join(T::member_suffix());
      walk(member, name, f, g);
      name.size = here;
    });
  }
}
template <class N, class M, class F, class G>
constexpr void walk(M& m, F& f, G& g) {
  N name{};
  walk(m, name, f, g);
}

// Of a copy of bound state: the parameters no longer pass gradients on.
template <class M>
constexpr void detach(M& part) {
  auto f = [](const Unnamed&, auto& s) {
    if constexpr (std::remove_cvref_t<decltype(s)>::trained) s.detached = true;
  };
  auto g = [](Mode&) {};
  walk<Unnamed>(part, f, g);
}

// eval(m.norm)(x), train(m.drop)(x): one use of a module in evaluation or training mode, whatever the mode of
// the rest, as module.eval() of a submodule in PyTorch.
template <class M>
constexpr M eval(M part) {
  auto f = [](const Unnamed&, auto&) {};
  auto g = [](Mode& mode) { mode.training = false; };
  walk<Unnamed>(part, f, g);
  return part;
}
template <class M>
constexpr M train(M part) {
  auto f = [](const Unnamed&, auto&) {};
  auto g = [](Mode& mode) { mode.training = true; };
  walk<Unnamed>(part, f, g);
  return part;
}

}  // namespace WEFT_NAMESPACE::nn
