#pragma once
// Walks a model's state in declaration order: every Param and Buffer with its dotted name, as PyTorch's
// state_dict gives them ("h.3.attn.weight"); and lays them out in the model's block of memory.

#include <string_view>

#include "weft/core/field.hpp"
#include "weft/nn/container.hpp"
#include "weft/nn/dropout.hpp"
#include "weft/nn/param.hpp"
#include "weft/nn/tied.hpp"

namespace WEFT_NAMESPACE::nn {

// A dotted name built while walking, and whether what it names lies in a Frozen.
struct Name {
  static constexpr int most = 160;
  char text[most]{};
  int size = 0;
  bool frozen = false;

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
    char digits[12]{};
    int n = 0;
    do digits[n++] = static_cast<char>('0' + number % 10), number /= 10;
    while (number > 0);
    if (size > 0 && size < most) text[size++] = '.';
    while (n > 0 && size < most) text[size++] = digits[--n];
  }
  constexpr std::string_view view() const { return {text, static_cast<std::size_t>(size)}; }
};
// In a name's place where none is asked for: spelling names is most of what walking costs.
struct Unnamed {
  int size = 0;
  bool frozen = false;
  constexpr void append(std::string_view) {}
  constexpr void append(int) {}
  constexpr void join(std::string_view) {}
};

template <class T>
concept HasMemberSuffix = requires {
  T::member_suffix();
};

// Calls f(name, state) for every Param and Buffer inside `m`, and g(setting) for every Mode. An F that has
// `weft_visits_ties` is called for every Tied as well. `name`, a Name or an Unnamed, is that of `m`; it grows
// and shrinks on the way and is left as it was.
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

// One piece of a model's state: its dotted name, and where it lies in the model's block.
struct StateInfo {
  Name name;
  DType dtype{};
  Dims dims;
  i64 offset = 0;  // bytes
  bool trained = false;
};

inline constexpr i64 state_alignment = 256;

template <int N>
struct StateTable {
  StateInfo row[N > 0 ? N : 1]{};
  int size = N;
  i64 trained_bytes = 0;  // parameters come first, then buffers
  i64 bytes = 0;
  bool rates_fit = true;  // those of dropout lie in [0, 1]
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
  };
  module_detail::RateVisitor g{table.rates_fit};
  walk<Name>(m, f, g);
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < n; ++i) {
      StateInfo& row = table.row[i];
      if (row.trained != (pass == 0)) continue;
      row.offset = table.bytes;
      const i64 bytes = row.dims.size() * size_of(row.dtype);
      table.bytes += (bytes + state_alignment - 1) / state_alignment * state_alignment;
    }
    if (pass == 0) table.trained_bytes = table.bytes;
  }
  return table;
}

// Whether M and all that it holds are plain structs; where not, the sentence comes.
template <class M>
constexpr bool plain() {
  if constexpr (is_state<M> || is_tied<M> || std::is_empty_v<M> || !std::is_class_v<M> ||
                std::is_same_v<M, Mode>) {
    return true;
  } else if constexpr (is_array_like<M>) {
    return plain<typename M::value_type>();
  } else if constexpr (is_sequential<M>) {
    return []<class... L>(std::tuple<L...>*) {
      return (plain<L>() && ... && true);
    }(static_cast<decltype(M::layers)*>(nullptr));
  } else if constexpr (is_frozen<M>) {
    return plain<std::remove_cvref_t<decltype(M::inner)>>();
  } else if constexpr (is_spliced<M>) {
    return true;
  } else {
    return []<class... F>(field_detail::FieldTypes<F...>) {
      return (plain<F>() && ... && true);
    }(field_detail::Types<M>{}) &&
           !refused_before<M, StateInfo>;
  }
}

WEFT_REFUSAL(DropoutRateFits,
             "dropout: the probability has to lie between 0 and 1: write nn::Dropout drop{.p = 0.1f}");

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

// A name in files for a piece of state that has another name.
struct Alias {
  Name name;
  int row = -1;
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

// The row that `target` means at `name`: looked up beside it, then in each enclosing module, then at the
// root.
template <class M>
constexpr int resolve(const Name& name, std::string_view target) {
  constexpr const auto& table = state_table<M>;
  int end = name.size;
  while (true) {
    while (end > 0 && name.text[end - 1] != '.') --end;
    for (int i = 0; i < table.size; ++i) {
      const std::string_view known = table.row[i].name.view();
      const std::string_view scope(name.text, static_cast<std::size_t>(end));
      if (known.substr(0, scope.size()) == scope && known.substr(scope.size()) == target) return i;
    }
    if (end == 0) return -1;
    --end;
  }
}

template <class M, int N>
struct AliasTable {
  using weft_visits_ties = void;
  Alias row[N > 0 ? N : 1]{};
  int size = 0;
  template <class S>
  constexpr void operator()(const Name& name, const S&) {
    if constexpr (is_tied<S>) row[size++] = {name, resolve<M>(name, S::target.view())};
  }
};

WEFT_REFUSAL(TiesAreNames, "Tied: the model has no parameter of the name given");

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
  AliasTable<M, count> table;
  if constexpr (plain<M>()) {
    M m{};
    auto g = [](Mode&) {};
    walk<Name>(m, table, g);
  }
  return table;
}
template <class M>
struct CheckedAliases {
  static constexpr auto table = make_alias_table<M>();
  static constexpr bool ok = [] {
    for (int i = 0; i < table.size; ++i)
      if (table.row[i].row < 0) return false;
    return true;
  }();
  static_assert(sizeof(TiesAreNames<ok, M>) > 0);
};

}  // namespace module_detail

template <class M>
inline constexpr auto alias_table = module_detail::CheckedAliases<M>::table;

// The number of trained elements, a constant.
template <class M>
constexpr i64 parameter_count() {
  i64 n = 0;
  for (int i = 0; i < state_table<M>.size; ++i)
    if (state_table<M>.row[i].trained) n += state_table<M>.row[i].dims.size();
  return n;
}

}  // namespace WEFT_NAMESPACE::nn
