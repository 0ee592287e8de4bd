#pragma once
// Whether a user's function can be called, and can run while the program compiles: the sentences of those
// that cannot, said before the compiler's own words.

#include <type_traits>

#include "weft/core/diagnose.hpp"
#include "weft/core/field.hpp"
#include "weft/ops/core/expr.hpp"

namespace WEFT_NAMESPACE::exec {

WEFT_REFUSAL(
    FunctionTakes,
    "the function cannot be called with these inputs: it takes one parameter, auto x, for each in<...>, "
    "after the model where there is one");

WEFT_REFUSAL(
    TracesWhileCompiling,
    "the function cannot run while the program compiles: operator() of the model and every function that is "
    "called must be constexpr (write constexpr auto operator()(auto x) const), neither print nor throw, and "
    "change nothing outside of themselves: members, captures, static variables (state is an nn::Buffer, a "
    "loop's is its carry); and numbers must lie in their range (a dropout rate in [0, 1])");

WEFT_REFUSAL(LayerIsMember,
             "a layer or parameter that is used is no member of the model, and so has no values: make it a "
             "plain member of the model, not a static or a local one");
WEFT_REFUSAL(BlocksReadTheirs,
             "a parameter or buffer of an nn::Stack has a value for each block and is read in the blocks: "
             "read it in the block's operator(), and return what is wanted of it behind the next x, "
             "std::pair{x, sum<>(square(fc.weight))}; h(x) then returns the pair of the last x and all that, "
             "stacked");
WEFT_REFUSAL(SamplesAssignNothing,
             "a buffer is assigned by one sample of vmap, which has no value for all: return it, and assign "
             "what is made of all samples outside, seen.assign(mean<0>(y))");

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
template <class F, class... A>
constexpr bool takes() {
  if constexpr (sizeof...(A) == 0 || !std::is_class_v<F> || std::is_final_v<F> || !compares_calls<TakesOne>)
    return std::is_invocable_v<const F&, const A&...>;
  else
    return !requires(BesideCall<F, A...> & f, const A&... a) { f(a...); };
}

WEFT_REFUSAL(
    ModelIsCalled,
    "a model is called by operator(), as a function is: write constexpr auto operator()(auto x) const in "
    "place of forward");
struct NamedForward {
  int forward;
};
struct NamedCall {
  void operator()();
};
template <class M, class Named>
struct Both : M, Named {};
// Whether M has a function `forward` and no operator(): a name that two bases have is ambiguous.
template <class M>
concept ForwardOnly = !requires {
  &Both<M, NamedForward>::forward;
}
&&requires { &Both<M, NamedCall>::operator(); }
&&!requires { requires std::is_member_object_pointer_v<decltype(&M::forward)>; };
// M, called by operator() all the same.
template <class M>
struct CalledModel : M {
  template <class... A>
  constexpr auto operator()(const A&...) const {
    // At once, not when a result is needed.
    static_assert(sizeof(ModelIsCalled<sizeof(M) == 0, M, A...>) > 0);
    return AfterRefusal{};
  }
};
// False, and the sentence is said, where f calls a model that has `forward` alone.
template <class M, class F, class... I>
constexpr bool calls_operator() {
  if constexpr (std::is_class_v<M> && !std::is_final_v<M>)
    if constexpr (ForwardOnly<M>)
      if constexpr (std::is_invocable_v<const F&, const CalledModel<M>&,
                                        const Expr<typename I::dtype, typename I::shape>&...>)
        return !refused_before<M, F, I...>;
  return true;
}

}  // namespace WEFT_NAMESPACE::exec

namespace WEFT_NAMESPACE::field_detail {
template <class M>
struct Fields<exec::CalledModel<M>> : Fields<M> {};
}  // namespace WEFT_NAMESPACE::field_detail
