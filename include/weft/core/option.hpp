#pragma once
// Options that follow the inputs of compile() and make_trainer(), in any order, each kind once. Law: a type
// says which kind it is by its member `option`; an optimiser is known by its update.

#include <concepts>
#include <type_traits>

#include "weft/core/diagnose.hpp"

namespace WEFT_NAMESPACE {

enum class OptionKind {
  optimizer,
  precision,
  clip,
  accumulate,
  seed,
  mode,
  memory,
  checkpoint,
  comm,
  probes,
  check_finite,
  check_indices,
  check_both,
  input,  // this and what follows may be there several times
  pass,
  unknown
};

WEFT_REFUSAL(PolicyIsValue,
             "a policy is a value and not a function: write precision::bf16, checkpoint::blocks, "
             "checkpoint::budget<100'000'000>, comm::none, without ()");

// What the policies are made of: objects that are named and not called.
struct PolicyValue {
  template <class... A>
  constexpr auto operator()(const A&...) const {
    static_assert(sizeof(PolicyIsValue<(sizeof...(A) > 1024), A...>) > 0);
    return AfterRefusal{};
  }
};

template <class O>
constexpr OptionKind option_kind() {
  if constexpr (requires {
                  { O::option } -> std::same_as<const OptionKind&>;
                })
    return O::option;
  else if constexpr (
      requires { O::update; } || requires { O::update_tensor; } || requires { O::closure; })
    return OptionKind::optimizer;
  else
    return OptionKind::unknown;
}

template <OptionKind kind, class... O>
inline constexpr int option_count = ((option_kind<O>() == kind ? 1 : 0) + ... + 0);

// Whether no kind is there twice.
template <class... O>
constexpr bool options_differ() {
  int count[static_cast<int>(OptionKind::unknown) + 1]{};
  (++count[static_cast<int>(option_kind<O>())], ...);
  for (int kind = 0; kind < static_cast<int>(OptionKind::input); ++kind)
    if (count[kind] > 1) return false;
  return true;
}

// The option of a kind, or Default.
template <OptionKind kind, class Default, class... O>
struct FindOption {
  using type = Default;
};
template <OptionKind kind, class Default, class First, class... Rest>
struct FindOption<kind, Default, First, Rest...> {
  using type = typename std::conditional_t<option_kind<First>() == kind, std::type_identity<First>,
                                           FindOption<kind, Default, Rest...>>::type;
};
template <OptionKind kind, class Default, class... O>
using find_option = typename FindOption<kind, Default, O...>::type;

// The argument of a type, or a default one.
template <class Wanted>
constexpr Wanted get_option() {
  return Wanted{};
}
template <class Wanted, class First, class... Rest>
constexpr Wanted get_option(const First& first, const Rest&... rest) {
  if constexpr (std::is_same_v<Wanted, First>)
    return first;
  else
    return get_option<Wanted>(rest...);
}

}  // namespace WEFT_NAMESPACE
