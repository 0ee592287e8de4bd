#pragma once
// Parameter groups: constexpr predicates on a parameter's name and shape decide which numbers the optimiser
// has for it. The predicates are part of the optimiser's type; each group gets a kernel launch of its own.

#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>

#include "weft/core/diagnose.hpp"
#include "weft/core/option.hpp"
#include "weft/core/takes.hpp"
#include "weft/optim/check.hpp"
#include "weft/optim/optimizer.hpp"

namespace WEFT_NAMESPACE::optim {

// Biases, gains of norms: everything with at most one axis.
inline constexpr auto is_vector = [](std::string_view, const Dims& d) { return d.rank <= 1; };
// Everything whose name contains "bias".
inline constexpr auto is_bias = [](std::string_view name, const Dims&) {
  return name.find("bias") != std::string_view::npos;
};

WEFT_REFUSAL(OptimizerDecays, "no_decay: this optimiser has no weight_decay");

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
WEFT_REFUSAL(
    PredicateTakes,
    "the parameters that a rule is for are told by a function of name and shape that captures nothing: "
    "rule(is_bias, change), no_decay(is_bias), no_decay([](std::string_view name, const Dims& shape) { "
    "return shape.rank == 1; "
    "})");
namespace detail {
// What captures nothing: another such object does the same.
template <class F>
inline constexpr bool captures_nothing = std::is_empty_v<F>&& std::is_default_constructible_v<F>;
// A rule of type R<P>, after a refusal another's.
template <template <class> class R, class P>
constexpr auto rule_for() {
  constexpr bool tells = captures_nothing<P> && std::is_invocable_r_v<bool, P, std::string_view, const Dims&>;
  static_assert(sizeof(PredicateTakes<tells, P>) > 0);
  return R<std::conditional_t<tells, P, std::remove_const_t<decltype(is_bias)>>>{};
}
}  // namespace detail
// The parameters for which the predicate holds are not decayed.
template <class P>
constexpr auto no_decay(P) {
  return detail::rule_for<NoDecay, P>();
}
template <class... A>
requires(sizeof...(A) != 1) constexpr auto no_decay(const A&...) {  // a refusal
  static_assert(sizeof(PredicateTakes<(sizeof...(A) > 99), A...>) > 0);
  return NoDecay<decltype(is_bias)>{};
}

// The parameters for which the predicate holds stay as they are: they are saved with the model, and have no
// part in clipping. requires_grad_(False) of some parameters by name, of some blocks of an nn::Stack say;
// nn::Frozen is the same of a layer, in its type.
template <class P>
struct FrozenParameters {
  static constexpr bool frozen = true;
  static constexpr bool matches(std::string_view name, const Dims& d) { return P{}(name, d); }
  template <class O>
  static constexpr void change(O&) {}
};
template <class P>
constexpr auto frozen(P) {
  return detail::rule_for<FrozenParameters, P>();
}
template <class R>
inline constexpr bool freezes = false;
template <class R>
requires requires { R::frozen; }
inline constexpr bool freezes<R> = R::frozen;

WEFT_REFUSAL(
    RuleCapturesNothing,
    "optim::rule: the predicate and the change capture nothing: write numbers as constants, o.lr = o.lr * "
    "10, or make them constexpr; what changes while training is set by trainer.set_lr(lr)");
WEFT_REFUSAL(
    RuleIsFunction,
    "optim::rule: the change is a function of the optimiser that captures nothing: optim::rule(is_bias, "
    "[](auto& o) { o.lr = o.lr * 0.1; })");
WEFT_REFUSAL(
    RuleChangesOptimizer,
    "optim::rule: the change writes into the optimiser that it is given by reference, and gives nothing "
    "back: [](auto& o) { o.lr = o.lr * 10; }");
namespace detail {
template <class F>
inline constexpr bool takes_copy = false;
template <class C, class R, class A>
inline constexpr bool takes_copy<R (C::*)(A) const> = !std::is_reference_v<A>;
// Whether C given an O changes a copy, or gives back what it has not written.
template <class C, class O>
constexpr bool changes_nothing() {
  using R = decltype(C{}(std::declval<O&>()));
  bool copies = false;
  if constexpr (requires { &C::template operator()<O>; })
    copies = takes_copy<decltype(&C::template operator()<O>)>;
  else if constexpr (requires { &C::operator(); })
    copies = takes_copy<decltype(&C::operator())>;
  return copies || !(std::is_void_v<R> || std::is_reference_v<R>);
}
}  // namespace detail
// The parameters for which P holds have an optimiser that C changed.
template <class P, class C>
struct Rule {
  static constexpr bool matches(std::string_view name, const Dims& d) { return P{}(name, d); }
  template <class O>
  static void change(O& optimizer) {
    static_assert(sizeof(RuleChangesOptimizer<!detail::changes_nothing<C, O>(), C, O>) > 0);
    C{}(optimizer);
  }
};
// rule(is_head, [](auto& o) { o.lr = o.lr * 10; })
template <class P, class C>
constexpr auto rule(P, C) {
  constexpr bool function = [] {
    if constexpr (std::is_class_v<C>)
      return weft::detail::HasCall<C>;
    else
      return false;
  }();
  static_assert(sizeof(RuleIsFunction<function, P, C>) > 0);
  static_assert(sizeof(PredicateTakes<std::is_class_v<P>, P>) > 0);
  constexpr bool plain = detail::captures_nothing<P> && detail::captures_nothing<C>;
  static_assert(sizeof(RuleCapturesNothing < plain || !function, P, C >) > 0);
  constexpr bool tells = !plain || std::is_invocable_r_v<bool, P, std::string_view, const Dims&>;
  static_assert(sizeof(PredicateTakes<tells, P>) > 0);
  if constexpr (plain && tells && function)
    return Rule<P, C>{};
  else
    return NoDecay<decltype(is_bias)>{};
}

WEFT_REFUSAL(CombinedAreFew,
             "optim::combine takes at most 4 rules, as every choice of them is a group: rules of which only "
             "the first that matches counts stand beside each other, groups(rule_a, rule_b, AdamW{})");
template <class... R>
struct Combined {};
// Several rules that hold at once: those that match a parameter all change its numbers, in this order.
template <class... R>
constexpr auto combine(const R&...) {
  static_assert(sizeof(CombinedAreFew<sizeof...(R) <= 4, R...>) > 0);
  if constexpr (sizeof...(R) <= 4)
    return Combined<R...>{};
  else
    return Combined<>{};
}
// The parameters that all of R match.
template <class... R>
struct AllOf {
  static constexpr bool frozen = (freezes<R> || ...);
  static constexpr bool matches(std::string_view name, const Dims& d) { return (R::matches(name, d) && ...); }
  template <class O>
  static void change(O& optimizer) {
    (R::change(optimizer), ...);
  }
};

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
  // Whether the parameters of a group are not updated.
  static constexpr bool is_frozen([[maybe_unused]] int group) {
    [[maybe_unused]] int k = 0;
    return ((k++ == group && freezes<Rules>) || ... || false);
  }
  // The same exceptions to f(optimizer).
  template <class F>
  constexpr auto around(F f) const {
    return Groups<decltype(f(optimizer)), Rules...>{f(optimizer)};
  }
  void fill(int group, i64 step, f32* n) const {
    O changed = optimizer;
    int k = 0;
    ((k++ == group ? Rules::change(changed) : void()), ...);
    changed.fill(step, n);
  }
  template <class R>
  void check_changed() const {
    O changed = optimizer;
    R::change(changed);
    check_numbers(changed);
  }
  // Throws "optim/bad-argument" for numbers that no group can work with.
  void check() const {
    check_numbers(optimizer);
    (check_changed<Rules>(), ...);
  }
};

namespace detail {

template <class... R>
struct RuleList {
  template <class... More>
  constexpr RuleList<R..., More...> operator+(RuleList<More...>) const {
    return {};
  }
  template <class O>
  constexpr Groups<O, R...> groups(const O& optimizer) const {
    return {optimizer};
  }
};
// Those of R whose bits are set in Mask.
template <unsigned Mask, class... R>
struct ChosenRules;
template <unsigned Mask, class First, class... Rest>
struct ChosenRules<Mask, First, Rest...> {
  using type = decltype([] {
    if constexpr (Mask % 2 != 0)
      return RuleList<First>{} + typename ChosenRules<Mask / 2, Rest...>::type{};
    else
      return typename ChosenRules<Mask / 2, Rest...>::type{};
  }());
};
template <unsigned Mask>
struct ChosenRules<Mask> {
  using type = RuleList<>;
};
template <class... R>
constexpr RuleList<AllOf<R...>> as_one(RuleList<R...>) {
  return {};
}

template <class R>
constexpr RuleList<R> rules_of(const R&) {
  return {};
}
// Every choice of the combined rules, larger ones first, so that the first that matches has all that match:
// choices are numbered so that one which holds another comes before it.
template <class... R>
constexpr auto rules_of(const Combined<R...>&) {
  constexpr unsigned all = (1u << sizeof...(R)) - 1;
  return [&]<unsigned... K>(std::integer_sequence<unsigned, K...>) {
    return (RuleList<>{} + ... + as_one(typename ChosenRules<all - K, R...>::type{}));
  }
  (std::make_integer_sequence<unsigned, all>{});
}

template <class A>
inline constexpr bool is_rule = !requires {
  A::numbers;
}
&&!requires { A::group_count; };

template <class... A>
constexpr bool ends_in_optimizer() {
  const bool rule[]{is_rule<A>..., true};
  int rules = 0;
  for (const bool r : rule) rules += r;
  return rules == static_cast<int>(sizeof...(A)) && sizeof...(A) > 0 && !rule[sizeof...(A) - 1];
}

// Takes rules off the front until the optimiser is left, which may have rules of its own behind them.
template <class List, class O>
constexpr auto make_groups(List list, const O& optimizer) {
  return list.groups(optimizer);
}
template <class List, class O, class... R>
constexpr auto make_groups(List list, const Groups<O, R...>& groups) {
  return (list + RuleList<R...>{}).groups(groups.optimizer);
}
template <class List, class First, class Next, class... Rest>
constexpr auto make_groups(List list, const First& first, const Next& next, const Rest&... rest) {
  return make_groups(list + rules_of(first), next, rest...);
}

}  // namespace detail

WEFT_REFUSAL(
    OptimizerIsLast,
    "groups: the rules come first and one optimiser last: write groups(no_decay(is_bias), AdamW{}); a second "
    "optimiser has a trainer of its own, in which the other parameters are optim::frozen");
WEFT_REFUSAL(
    RulesAreArguments,
    "groups: the rules are arguments without braces around them: write groups(no_decay(is_bias), AdamW{})");
namespace detail {
// In place of any rule.
struct AnyRule {
  template <class R>
  constexpr AnyRule(const R&) {}
};
}  // namespace detail
template <class O>
constexpr O groups(std::initializer_list<detail::AnyRule>, const O& optimizer) {
  static_assert(sizeof(RulesAreArguments<sizeof(O) == 0, O>) > 0);
  return optimizer;
}
// groups(rule..., optimizer)
template <class... A>
constexpr auto groups(const A&... rules_then_optimizer) {
  constexpr bool last = detail::ends_in_optimizer<A...>();
  static_assert(sizeof(OptimizerIsLast<last, A...>) > 0);
  if constexpr (last)
    return detail::make_groups(detail::RuleList<>{}, rules_then_optimizer...);
  else
    return AfterRefusal{};
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

}  // namespace WEFT_NAMESPACE::optim

namespace WEFT_NAMESPACE {
using optim::is_bias;
using optim::is_vector;
}  // namespace WEFT_NAMESPACE
