#pragma once
// A model's state as a table: every Param and Buffer with its name and shape, laid out in the model's block
// of memory, and the further names that Tied gives.

#include "weft/nn/part.hpp"

namespace WEFT_NAMESPACE::nn {

// One piece of a model's state: its dotted name, and where it lies in the model's block. That of a Stack is
// one piece for all blocks: `name` and `dims` are the first block's, the copies lie one behind another.
struct StateInfo {
  Name name;
  DType dtype{};
  Dims dims;
  i64 offset = 0;  // bytes
  bool trained = false;
  // Of a part of something larger: the axis along which it is cut, and into how many parts; each of the
  // blocks that it is along that axis is cut so.
  int part_axis = -1, parts = 1, part_blocks = 1;

  constexpr i64 copies() const { return name.copies.size(); }
  constexpr i64 copy_bytes() const { return dims.size() * size_of(dtype); }
  constexpr i64 bytes() const { return copies() * copy_bytes(); }
  constexpr i64 elements() const { return copies() * dims.size(); }
  // The shape of all copies: the blocks of each Stack around it, then its own axes.
  constexpr Dims all_dims() const {
    Dims d = name.copies;
    if (d.rank + dims.rank > max_rank)
      throw Error("nn/stack", "a parameter of a Stack would have more than 8 axes with that of the blocks");
    for (int k = 0; k < dims.rank; ++k) d.extent[d.rank++] = dims.extent[k];
    return d;
  }
};

inline constexpr i64 state_alignment = 256;

template <int N>
struct StateTable {
  StateInfo row[N > 0 ? N : 1]{};
  int size = N;
  i64 trained_bytes = 0;  // parameters come first, then buffers
  i64 bytes = 0;
  bool rates_fit = true;  // those of dropout lie in [0, 1]
  int degree = 1;         // into how many parts those are cut that ranks have parts of (part.hpp)

  constexpr bool in_parts() const { return degree > 1; }
};

template <class M>
constexpr int count_state() {
  M m{};
  int n = 0;
  auto f = [&](const Unnamed&, auto&) { ++n; };
  auto g = [](Mode&) {};
  walk<Unnamed>(m, f, g);
  return n;
}

namespace module_detail {
// In place of a setting's visitor: whether every dropout rate lies in [0, 1].
struct RateVisitor {
  bool& fit;
  constexpr void operator()(Mode&) const {}
  constexpr void rate(float p) const { fit = fit && p >= 0 && p <= 1; }
};
}  // namespace module_detail

// Parameters first, in declaration order, then buffers, each in a 256-byte aligned place.
template <class M>
constexpr auto make_state_table() {
  StateTable<count_state<M>()> table;
  M m{};
  int n = 0;
  auto f = [&]<class S>(const Name& name, S&) {
    StateInfo& row = table.row[n++];
    row.name = name;
    row.dtype = dtype_of<typename S::dtype>;
    row.dims = S::shape::value;
    row.trained = S::trained && !name.frozen;
    if constexpr (HeldInParts<S>) {
      row.part_axis = S::initializer::axis;
      row.parts = S::initializer::group::degree;
      row.part_blocks = S::initializer::blocks;
      if (row.parts > table.degree) table.degree = row.parts;
    }
  };
  module_detail::RateVisitor g{table.rates_fit};
  walk<Name>(m, f, g);
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < n; ++i) {
      StateInfo& row = table.row[i];
      if (row.trained != (pass == 0)) continue;
      row.offset = table.bytes;
      table.bytes += (row.bytes() + state_alignment - 1) / state_alignment * state_alignment;
    }
    if (pass == 0) table.trained_bytes = table.bytes;
  }
  return table;
}

WEFT_REFUSAL(
    ModelIsConstant,
    "a model is made while the program compiles: its members' default values and constructors must be "
    "constexpr, and what is known at run time only is an input, in<f32>");

namespace module_detail {
// Where M{} is no constant: false, and the sentence, unless M has a member that the compiler has refused, so
// that no value of it is a constant, though all that is left of its members are.
#if defined(__CUDACC__)  // nvcc loses the pack of a requires-expression
template <class M>
constexpr bool constant() {
  return true;
}
#else
template <class M>
constexpr bool constant() {
  if constexpr (!std::is_class_v<M> || field_detail::HasConstantDefault<M>) {
    return true;
  } else {
    const auto check = []<class... F>(field_detail::FieldTypes<F...>) {
      constexpr bool members = (field_detail::HasConstantDefault<F> && ... && true);
      constexpr bool wrong = members && !requires {
        typename std::bool_constant<(static_cast<void>(M{F{}...}), members)>;
      };
      static_assert(sizeof(SaidByCompiler<wrong, M>) > 0);
      static_assert(sizeof(ModelIsConstant<wrong, M>) > 0);
      return false;
    };
    if constexpr (std::is_empty_v<M>)
      return check(field_detail::FieldTypes<>{});
    else
      return check(field_detail::Types<M>{});
  }
}
#endif
}  // namespace module_detail

// Whether M and all that it holds are plain structs; where not, the sentence comes.
template <class M>
constexpr bool plain() {
  if constexpr (requires { typename M::template weft_refused_member<true>; }) {
    static_assert(sizeof(typename M::template weft_refused_member<sizeof(M) == 0>) > 0);
    return false;
  } else if constexpr (std::is_empty_v<M>) {
    return module_detail::constant<M>();
  } else if constexpr (is_state<M> || is_tied<M> || !std::is_class_v<M> || std::is_same_v<M, Mode>) {
    return true;
  } else if constexpr (is_array_like<M>) {
    return plain<typename M::value_type>();
  } else if constexpr (is_sequential<M>) {
    return []<class... L>(std::tuple<L...>*) {
      return (plain<L>() && ... && true);
    }(static_cast<decltype(M::layers)*>(nullptr));
  } else if constexpr (is_frozen<M>) {
    return plain<std::remove_cvref_t<decltype(M::inner)>>();
  } else if constexpr (is_stack<M>) {
    return plain<typename M::block_type>();
  } else if constexpr (is_spliced<M>) {
    return true;
  } else {
    return []<class... F>(field_detail::FieldTypes<F...>) {
      return (plain<F>() && ... && true);
    }(field_detail::Types<M>{}) &&
           !refused_before<M, StateInfo> && module_detail::constant<M>();
  }
}

WEFT_REFUSAL(DropoutRateFits,
             "dropout: the probability has to lie between 0 and 1: write nn::Dropout drop{.p = 0.1f}, "
             "nn::MultiheadAttention<64, 8> attn{.dropout = 0.1f}");

template <class M>
struct CheckedTable {
  static constexpr auto make() {
    if constexpr (plain<M>())
      return make_state_table<M>();
    else
      return StateTable<0>{};
  }
  static constexpr auto table = make();
  static_assert(sizeof(DropoutRateFits<table.rates_fit, M>) > 0);
};

template <class M>
inline constexpr auto state_table = CheckedTable<M>::table;

// A piece of state, or one copy of it.
struct StatePlace {
  int row = -1;  // of the table; -1: there is none
  i64 copy = 0;
};

// A name in files for a piece of state that has another name: the one that `target` means there.
struct Alias {
  Name name;
  std::string_view target;
};

namespace module_detail {

struct CountTies {
  using weft_visits_ties = void;
  int count = 0;
  template <class S>
  constexpr void operator()(const Unnamed&, const S&) {
    count += is_tied<S> ? 1 : 0;
  }
};

template <class M>
constexpr StatePlace find_row(std::string_view name) {
  constexpr const auto& table = state_table<M>;
  for (int i = 0; i < table.size; ++i)
    if (const i64 copy = table.row[i].name.copy_of(name); copy >= 0) return {i, copy};
  return {};
}

// What `target` means at `name`: looked up beside it, then in each enclosing module, then at the root.
template <class M>
constexpr StatePlace resolve(const Name& name, std::string_view target) {
  Name scope = name;
  while (true) {
    while (scope.size > 0 && scope.text[scope.size - 1] != '.') --scope.size;
    Name whole = scope;
    whole.join(target);
    if (const StatePlace place = find_row<M>(whole.view()); place.row >= 0) return place;
    if (scope.size == 0) return {};
    --scope.size;
  }
}

template <int N>
struct AliasTable {
  using weft_visits_ties = void;
  Alias row[N > 0 ? N : 1]{};
  int size = 0;
  template <class S>
  constexpr void operator()(const Name& name, const S&) {
    if constexpr (is_tied<S>) row[size++] = {name, S::target.view()};
  }
};

WEFT_REFUSAL(
    TiesAreNames,
    "Tied: the model has no parameter of the name given, which is that of a file, \"word.weight\" of "
    "the member nn::Embedding<100, 8> word");

template <class M>
constexpr auto make_alias_table() {
  constexpr int count = [] {
    CountTies f;
    if constexpr (plain<M>()) {
      M m{};
      auto g = [](Mode&) {};
      walk<Unnamed>(m, f, g);
    }
    return f.count;
  }();
  AliasTable<count> table;
  if constexpr (plain<M>()) {
    M m{};
    auto g = [](Mode&) {};
    walk<Name>(m, table, g);
  }
  return table;
}
template <class M>
struct Aliases {
  static constexpr auto table = make_alias_table<M>();
  static constexpr int lost = [] {  // the first whose target is no name, or -1
    for (int i = 0; i < table.size; ++i)
      if (resolve<M>(table.row[i].name, table.row[i].target).row < 0) return i;
    return -1;
  }();
};
template <class M, int Row>
constexpr auto target_of_alias() {
  if constexpr (Row < 0) {
    return FixedString<0>{};
  } else {
    constexpr std::string_view target = Aliases<M>::table.row[Row].target;
    FixedString<target.size()> text;
    for (std::size_t i = 0; i < target.size(); ++i) text.text[i] = target[i];
    return text;
  }
}
template <class M>
struct CheckedAliases : Aliases<M> {
  static_assert(
      sizeof(TiesAreNames<(Aliases<M>::lost < 0), M, GivenName<target_of_alias<M, Aliases<M>::lost>()>>) > 0);
};

}  // namespace module_detail

template <class M>
inline constexpr auto alias_table = module_detail::CheckedAliases<M>::table;

// What copy `copy` of an alias means.
template <class M>
constexpr StatePlace place_of(const Alias& alias, i64 copy) {
  return module_detail::resolve<M>(alias.name.of_copy(copy), alias.target);
}

// The piece of M's state of a name, or of a further name.
template <class M>
constexpr StatePlace find_state(std::string_view name) {
  if (const StatePlace place = module_detail::find_row<M>(name); place.row >= 0) return place;
  constexpr const auto& aliases = alias_table<M>;
  for (int i = 0; i < aliases.size; ++i)
    if (const i64 copy = aliases.row[i].name.copy_of(name); copy >= 0)
      return place_of<M>(aliases.row[i], copy);
  return {};
}

// Calls f(row, copy) for every copy of every row of a table (or of Names with their copies), in the order in
// which a model whose blocks are an array has them: block by block.
template <class Rows, class F>
constexpr void each_copy(const Rows& name_of, int begin, int end, int level, i64 copy, F& f) {
  for (int i = begin; i < end;) {
    const Name& name = name_of(i);
    if (name.copies.rank <= level) {
      f(i++, copy);
      continue;
    }
    // the rows of one Stack
    const auto scope = [&](const Name& n) {
      return n.view().substr(0, static_cast<std::size_t>(name.index_at[level]));
    };
    int last = i + 1;
    while (last < end && name_of(last).copies.rank > level && scope(name_of(last)) == scope(name)) ++last;
    const i64 blocks = name.copies.extent[level];
    for (i64 k = 0; k < blocks; ++k) each_copy(name_of, i, last, level + 1, copy * blocks + k, f);
    i = last;
  }
}
template <class Table, class F>
constexpr void each_copy(const Table& table, F f) {
  const auto name_of = [&](int i) -> const Name& { return table.row[i].name; };
  each_copy(name_of, 0, table.size, 0, 0, f);
}

// The number of trained elements, a constant.
template <class M>
constexpr i64 parameter_count() {
  i64 n = 0;
  for (int i = 0; i < state_table<M>.size; ++i)
    if (state_table<M>.row[i].trained) n += state_table<M>.row[i].elements();
  return n;
}

}  // namespace WEFT_NAMESPACE::nn
