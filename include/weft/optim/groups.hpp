#pragma once
// Parameter groups: constexpr predicates on a parameter's name and shape decide whether it decays. The
// predicate is part of the optimiser's type; its parameters get a kernel launch of their own.

#include <string_view>

#include "weft/core/option.hpp"
#include "weft/optim/optimizer.hpp"

namespace weft::optim {

// Biases, gains of norms: everything with at most one axis.
inline constexpr auto is_vector = [](std::string_view, const Dims& d) { return d.rank <= 1; };
// Everything whose name contains "bias".
inline constexpr auto is_bias = [](std::string_view name, const Dims&) {
  return name.find("bias") != std::string_view::npos;
};

template <bool Ok, class Optimizer>
struct OptimizerDecays {
  static_assert(Ok, "no_decay: this optimiser has no weight_decay");
};

// The parameters for which P holds are not decayed.
template <class P>
struct NoDecay {
  static constexpr bool matches(std::string_view name, const Dims& d) { return P{}(name, d); }
  template <class O>
  static void change(O& optimizer) {
    constexpr bool decays = requires { optimizer.weight_decay; };
    static_assert(sizeof(OptimizerDecays<decays, O>) > 0);
    if constexpr (decays) optimizer.weight_decay = 0;
  }
};
template <class P>
constexpr NoDecay<P> no_decay(P) {
  return {};
}

// An optimiser and the exceptions to it, first match wins: groups(no_decay(is_vector), AdamW{...}).
template <class O, class... Rules>
struct Groups {
  static constexpr OptionKind option = OptionKind::optimizer;
  O optimizer;

  using base = O;
  static constexpr int group_count = static_cast<int>(sizeof...(Rules)) + 1;
  // The group of a parameter: the number of the first rule that matches, or the last.
  static constexpr int group_of([[maybe_unused]] std::string_view name, [[maybe_unused]] const Dims& d) {
    int group = 0;
    const bool matched = ((Rules::matches(name, d) ? true : (++group, false)) || ... || false);
    return matched ? group : static_cast<int>(sizeof...(Rules));
  }
  void fill(int group, i64 step, f32* n) const {
    O changed = optimizer;
    int k = 0;
    ((k++ == group ? Rules::change(changed) : void()), ...);
    changed.fill(step, n);
  }
};

namespace detail {
// Takes rules off the front until the optimiser is left.
template <class... R, class O>
constexpr Groups<O, R...> make_groups(const O& optimizer) {
  return {optimizer};
}
template <class... R, class Rule, class Next, class... Rest>
constexpr auto make_groups(const Rule&, const Next& next, const Rest&... rest) {
  return make_groups<R..., Rule>(next, rest...);
}
}  // namespace detail

// groups(rule..., optimizer)
template <class... A>
constexpr auto groups(const A&... rules_then_optimizer) {
  return detail::make_groups<>(rules_then_optimizer...);
}

// Any optimiser seen as groups.
template <class O>
struct AsGroups {
  using type = Groups<O>;
  static type make(const O& o) { return {o}; }
};
template <class O, class... R>
struct AsGroups<Groups<O, R...>> {
  using type = Groups<O, R...>;
  static type make(const type& o) { return o; }
};

}  // namespace weft::optim

namespace weft {
using optim::is_bias;
using optim::is_vector;
}  // namespace weft
