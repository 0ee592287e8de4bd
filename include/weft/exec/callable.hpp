#pragma once
// Whether a user's function can be called, and can run while the program compiles: the sentences of those
// that cannot, said before the compiler's own words.

#include <type_traits>

#include "weft/core/diagnose.hpp"
#include "weft/core/field.hpp"
#include "weft/core/takes.hpp"
#include "weft/ops/core/expr.hpp"

namespace WEFT_NAMESPACE::exec {

WEFT_REFUSAL(
    FunctionTakes,
    "the function cannot be called with these inputs: it takes one parameter, auto x, for each in<...>, "
    "after the model where there is one, or after each model of states(model, cache)");

WEFT_REFUSAL(
    TracesWhileCompiling,
    "the function cannot run while the program compiles (with -DWEFT_TRACE_ERRORS the compiler names the "
    "line): operator() of the model and every function that is called must be constexpr (write constexpr "
    "auto operator()(auto x) const), neither print nor throw, read no variable that is not constexpr (a "
    "number that changes is an input, in<f32>), and change nothing outside of themselves: members, captures, "
    "static variables (state is an nn::Buffer, a loop's is its carry), and ask for no axis that is not "
    "there, x.extent(2) of two; one of thousands of operations needs a higher limit, g++ "
    "-fconstexpr-ops-limit=2000000000, clang -fconstexpr-steps=2000000000 (docs/building.md)");

WEFT_REFUSAL(LayerIsMember,
             "a layer or parameter that is used is no member of the model, and so has no values: make it a "
             "plain member of the model, not a static or a local one");
WEFT_REFUSAL(BlocksReadTheirs,
             "a parameter or buffer of an nn::Stack has a value for each block and is read in the blocks: "
             "read it in the block's operator(), and return what is wanted of it behind the next x, "
             "std::pair{x, sum<>(square(fc.weight))}; h(x) then returns the pair of the last x and all that, "
             "stacked");
WEFT_REFUSAL(
    WhileAssignsNothing,
    "a buffer is assigned in the body of while_loop, in a trip that may not be made: carry the value, and "
    "assign what comes out, seen.assign(last)");
WEFT_REFUSAL(
    DrawnInside,
    "random numbers that are made outside of a loop, of vmap or of a score function are first used inside, "
    "where they would be drawn anew for every trip or sample: draw them for a value, auto noise = "
    "randn_like(x), or make them inside");
WEFT_REFUSAL(PlacesExist,
             "index: a number among the indices is no place of its axis: of n elements they are 0 to n - 1, "
             "and -n to -1 from the end");
WEFT_REFUSAL(RatesAreShares, "the rate of a dropout is the share that it drops, a number from 0 to 1");
WEFT_REFUSAL(
    NumbersFit,
    "a number beside a tensor of integers, as in where, minimum, %, full or pad, is none of the tensor's "
    "dtype, as 300 is none of u8 and 0.5 none of i32: make it a tensor of another dtype, cast<i32>(x)");
WEFT_REFUSAL(
    SharesAreNumbers,
    "a probability, the q of a quantile and a label smoothing are numbers from 0 to 1: 0.25, and not 25");
WEFT_REFUSAL(
    ScalesArePositive,
    "a standard deviation is not negative, nor is the bound of renorm; the rate of exponential, the width of "
    "cauchy, the p of geometric, the tau of gumbel_softmax and the delta and beta of huber_loss and "
    "smooth_l1_loss are positive (l1_loss is their limit at 0); the upper slope of RReLU is not below the "
    "lower");
WEFT_REFUSAL(
    BoundsHoldIntegers,
    "randint draws from [low, high): low is less than high, and all between are numbers of its dtype, as 300 "
    "is none of u8");
WEFT_REFUSAL(ValuesAreSeveral,
             "a batch or instance norm has one value a channel to learn from, which has no variance: train "
             "with a batch of two at least, or with nn::LayerNorm or nn::GroupNorm");
WEFT_REFUSAL(SamplesAssignNothing,
             "a buffer is assigned by one sample of vmap, which has no value for all: return it, and assign "
             "what is made of all samples outside, seen.assign(mean<0>(y))");

WEFT_REFUSAL(
    ModelIsCalled,
    "a model is called by operator(), as a function is: write constexpr auto operator()(auto x) const in "
    "place of forward");
struct OwnForward {
  int forward;
};
template <class M>
struct BesideOwnForward : M, OwnForward {};
// Whether M has a function `forward` and no operator(): a name that two bases have is ambiguous.
template <class M>
concept ForwardOnly = !requires {
  &BesideOwnForward<M>::forward;
}
&&!detail::HasCall<M> && !requires { requires std::is_member_object_pointer_v<decltype(&M::forward)>; };
WEFT_REFUSAL(
    ModelHasArguments,
    "the model is a template and was not given its arguments: write make_trainer<Net<>>(Cpu{}, ...) for "
    "those that it has by itself, or make_trainer<Net<16>>(Cpu{}, ...), and the same for compile and "
    "Model");
WEFT_REFUSAL(
    NamedFunctionIsCalled,
    "a function of many forms, such as cross_entropy, is no value by its name alone: write a lambda that "
    "calls it, for make_trainer [](const auto& model, auto x, auto y) { return cross_entropy(model(x), "
    "y); }, for compile [](auto x, auto y) { return cross_entropy(x, y); }, for evaluate as for "
    "make_trainer");
// What the name of a function of two values can become, though it is of many.
struct NamedFunction {
  using Two = AfterRefusal (*)(const NameAlone&, const NameAlone&);
  constexpr NamedFunction(Two) {}
};

WEFT_REFUSAL(CallIsConst,
             "the operator() of the model is not const, and the model is while the program compiles: write "
             "constexpr auto operator()(auto x) const");
// M, called by an operator() that refuses.
template <class M, template <bool, class...> class Refusal>
struct CalledModel : M {
  template <class... A>
  constexpr auto operator()(const A&...) const {
    // At once, not when a result is needed.
    static_assert(sizeof(Refusal<sizeof(M) == 0, M, A...>) > 0);
    return AfterRefusal{};
  }
};
template <template <bool, class...> class Refusal, class M, class F, class... I>
constexpr bool calls_other() {
  if constexpr (detail::CallCompiles<F, CalledModel<M, Refusal>,
                                     Expr<typename I::dtype, typename I::shape>...>)
    return !refused_before<Refusal<false, M>, F, I...>;
  else
    return true;
}
// False, and the sentence is said, where f calls a model that has `forward` alone, or no call that is const.
template <class M, class F, class... I>
constexpr bool calls_operator() {
  if constexpr (std::is_class_v<M> && !std::is_final_v<M>) {
    if constexpr (ForwardOnly<M>)
      return calls_other<ModelIsCalled, M, F, I...>();
    else if constexpr (sizeof...(I) > 0)
      if constexpr (detail::is_called_unless_const<M, Expr<f32, Shape<>>>())
        return calls_other<CallIsConst, M, F, I...>();
  }
  return true;
}

WEFT_REFUSAL(FunctionKeepsItsType,
             "compile: a std::function hides the body that is traced: give the lambda itself, const auto f = "
             "[](auto x) { ... }, whose parameters are auto");
template <class F>
inline constexpr bool hides_body = requires(const F& f) {
  typename F::result_type;
  f.target_type();
};

}  // namespace WEFT_NAMESPACE::exec

namespace WEFT_NAMESPACE::field_detail {
template <class M, template <bool, class...> class Refusal>
struct Fields<exec::CalledModel<M, Refusal>> : Fields<M> {};
}  // namespace WEFT_NAMESPACE::field_detail
