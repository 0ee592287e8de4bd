#pragma once
// Whether a user's function takes arguments of some types, asked without compiling its body.

#include <type_traits>

#include "weft/core/config.hpp"

namespace WEFT_NAMESPACE::detail {

// Whether F is called by an operator(): the name is ambiguous beside another one.
struct OwnCall {
  void operator()();
};
template <class F>
struct BesideOwnCall : F, OwnCall {};
template <class F>
concept HasCall = !requires {
  &BesideOwnCall<F>::operator();
};

// Whether f takes arguments of these types, without a look into its body, whose errors are the user's own:
// beside f stands a call that fits its object better and every argument worse, so both are ambiguous where f
// fits.
template <class A>
struct WorseArgument {
  constexpr WorseArgument(const A&) {}
};
template <class F, class... A>
struct BesideCall : F {
  using F::operator();
  void operator()(WorseArgument<A>...);
};
struct TakesOne {
  constexpr void operator()(auto) const {}
};
// nvcc finds nothing ambiguous, and looks into bodies.
template <class F>
inline constexpr bool compares_calls = !requires(BesideCall<F, int> & f, const int& a) {
  f(a);
};
// Whether a call compiles: std::is_invocable in fewer frames, which leave the user's line in the trail of an
// error that lies inside.
template <class F, class... A>
concept CallCompiles = requires(const F& f, const A&... a) {
  f(a...);
};
template <class F, class... A>
constexpr bool takes() {
  if constexpr (sizeof...(A) == 0 || !std::is_class_v<F> || std::is_final_v<F> || !compares_calls<TakesOne>)
    return CallCompiles<F, A...>;
  else if constexpr (!HasCall<F>)
    return false;
  else
    return !requires(BesideCall<F, A...> & f, const A&... a) { f(a...); };
}

// Whether F has an operator() template of 1 to 3 arguments and none that is const, by the same means: beside
// it stand others of each number, not const and const, and the call is ambiguous where F's is as const as
// those.
struct CallsOfAny {
  template <class A>
  void operator()(A);
  template <class A, class B>
  void operator()(A, B);
  template <class A, class B, class C>
  void operator()(A, B, C);
};
struct ConstCallsOfAny {
  template <class A>
  void operator()(A) const;
  template <class A, class B>
  void operator()(A, B) const;
  template <class A, class B, class C>
  void operator()(A, B, C) const;
};
template <class F, class Calls>
struct BesideCalls : F, Calls {
  using F::operator();
  using Calls::operator();
};
template <class F, class A>
concept AllBeside = requires(F& f, const A& a) {
  f(a);
  f(a, a);
  f(a, a, a);
};
template <class F, class A>
constexpr bool is_called_unless_const() {
  if constexpr (!std::is_class_v<F> || std::is_final_v<F> || !compares_calls<TakesOne>)
    return false;
  else if constexpr (!HasCall<F>)
    return false;
  else if constexpr (AllBeside<BesideCalls<F, CallsOfAny>, A>)
    return false;
  else
    return AllBeside<const BesideCalls<F, ConstCallsOfAny>, A>;
}

}  // namespace WEFT_NAMESPACE::detail
