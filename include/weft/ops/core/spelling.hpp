#pragma once
// PyTorch's spelling of operations whose axes, sizes or words are template arguments here: overloads that
// refuse with the spelling to use.

#include <initializer_list>

#include "weft/ops/core/expr.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(
    AxesAreTemplateArguments,
    "axes and sizes are template arguments, known while compiling: write sum<1>(x), softmax<-1>(x), "
    "reshape<2, 8>(x), gather<1>(x, index) in place of sum(x, 1), softmax(x, -1), reshape(x, {2, 8}), "
    "gather(x, 1, index)");
WEFT_REFUSAL(
    TwoAreCompared,
    "max and min reduce: of two operands write maximum(x, y) and minimum(x, y), along an axis max<1>(x) "
    "and argmax<1>(x)");
WEFT_REFUSAL(
    DtypeAndShapeAreTemplateArguments,
    "dtype and shape are template arguments: write zeros<f32, 2, 3>(), randn<f32, 2, 3>(), arange<i64, "
    "10>(), eye<f32, 3>(), randint<i64, 4>(0, 10), zeros_like<f16>(x) in place of zeros(2, 3), randn(2, 3), "
    "arange(10), eye(3), randint(0, 10, {4}), zeros_like(x, f16)");
WEFT_REFUSAL(
    WordIsTemplateArgument,
    "words are template arguments: write mse_loss<reduction::sum>(x, y), einsum<\"ij,jk->ik\">(a, b), "
    "gelu_tanh(x), pad<PaddingMode::reflect, 1, 1>(x) in place of a string among the arguments");
WEFT_REFUSAL(
    TensorsAreArguments,
    "the tensors are arguments one by one and the axis is a template argument: write cat<1>(a, b) and "
    "stack<0>(a, b) in place of cat({a, b}, 1) and stack({a, b})");

template <class X>
concept Spelled = Operand<X> && !Scalar<X>;
template <class A>
concept SpelledNumber = std::is_arithmetic_v<std::remove_cvref_t<A>>;

namespace spelled {
struct arange;
struct argmin;
struct argsort;
struct avg_pool2d;
struct bce_with_logits;
struct binary_cross_entropy;
struct cat;
struct chunk;
struct concat;
struct cross_entropy;
struct cumprod;
struct cumsum;
struct einsum;
struct empty;
struct empty_like;
struct expand;
struct eye;
struct flip;
struct gather;
struct index_select;
struct l1_loss;
struct layer_norm;
struct linspace;
struct log_softmax;
struct logsumexp;
struct max_pool2d;
struct mse_loss;
struct nll_loss;
struct norm;
struct one_hot;
struct ones;
struct ones_like;
struct pad;
struct rand;
struct randint;
struct randn;
struct repeat;
struct roll;
struct select;
struct sort;
struct split;
struct stack;
struct topk;
struct tril;
struct unbind;
struct zeros;
struct zeros_like;
}  // namespace spelled

namespace detail {
template <class Refusal, class X>
constexpr auto respelled(const X& x) {
  static_assert(sizeof(Refusal) > 0);
  if constexpr (ExprLike<X>)
    return to_expr(x);
  else
    return AfterRefusal{};
}
// What an operation returns: one value, or two.
template <class X>
constexpr X one_of(const X& x) {
  return x;
}
template <class X>
constexpr std::tuple<X, X> pair_of(const X& x) {
  return {x, x};
}
}  // namespace detail

#define WEFT_AXES(name, results)                                                                          \
  template <Spelled X, SpelledNumber A, class... B>                                                       \
  constexpr auto name(const X& x, const A&, const B&...) {                                                \
    return detail::results##_of(detail::respelled<AxesAreTemplateArguments<false, spelled::name, X>>(x)); \
  }
WEFT_AXES(sum, one)
WEFT_AXES(mean, one)
WEFT_AXES(argmax, one)
WEFT_AXES(argmin, one)
WEFT_AXES(logsumexp, one)
WEFT_AXES(norm, one)
WEFT_AXES(sort, pair)
WEFT_AXES(argsort, one)
WEFT_AXES(topk, pair)
WEFT_AXES(cumsum, one)
WEFT_AXES(cumprod, one)
WEFT_AXES(softmax, one)
WEFT_AXES(log_softmax, one)
WEFT_AXES(squeeze, one)
WEFT_AXES(unsqueeze, one)
WEFT_AXES(transpose, one)
WEFT_AXES(permute, one)
WEFT_AXES(flatten, one)
WEFT_AXES(reshape, one)
WEFT_AXES(view, one)
WEFT_AXES(expand, one)
WEFT_AXES(repeat, one)
WEFT_AXES(flip, one)
WEFT_AXES(roll, one)
WEFT_AXES(unbind, pair)
WEFT_AXES(select, one)
WEFT_AXES(split, pair)
WEFT_AXES(chunk, pair)
WEFT_AXES(gather, one)
WEFT_AXES(index_select, one)
WEFT_AXES(one_hot, one)
WEFT_AXES(tril, one)
WEFT_AXES(max_pool2d, one)
WEFT_AXES(avg_pool2d, one)
#undef WEFT_AXES

WEFT_REFUSAL(OptionIsWord,
             "options are words, and not truth values: write sum<1>(x, keepdim), sort<-1>(x, descending), "
             "topk<2>(x, smallest)");
#define WEFT_CHOSEN(name, results)                                                            \
  template <int First, int... Rest, Spelled X, class B>                                       \
  requires std::is_same_v<B, bool>                                                            \
  constexpr auto name(const X& x, B) {                                                        \
    return detail::results##_of(detail::respelled<OptionIsWord<false, spelled::name, X>>(x)); \
  }
WEFT_CHOSEN(sum, one)
WEFT_CHOSEN(prod, one)
WEFT_CHOSEN(mean, one)
WEFT_CHOSEN(amax, one)
WEFT_CHOSEN(amin, one)
WEFT_CHOSEN(any, one)
WEFT_CHOSEN(all, one)
WEFT_CHOSEN(argmax, one)
WEFT_CHOSEN(argmin, one)
WEFT_CHOSEN(logsumexp, one)
WEFT_CHOSEN(norm, one)
WEFT_CHOSEN(sort, pair)
WEFT_CHOSEN(argsort, one)
WEFT_CHOSEN(topk, pair)
#undef WEFT_CHOSEN

template <Spelled X, SpelledNumber A, SpelledNumber B>
constexpr auto quantile(const X& x, const A&, const B&) {
  return detail::respelled<AxesAreTemplateArguments<false, spelled::quantile, X>>(x);
}

WEFT_REFUSAL(CapacityIsTemplateArgument,
             "what is found has a size that is known at run time only, and so a place for it has one that is "
             "known while compiling: auto [values, count] = masked_select<16>(x, mask), nonzero<16>(x), "
             "unique<16>(x); where(mask, x, 0) keeps the shape");
template <Spelled X, Spelled M>
constexpr auto masked_select(const X& x, const M&) {
  return detail::respelled<CapacityIsTemplateArgument<false, spelled::masked_select, X>>(x);
}
template <Spelled X>
constexpr auto nonzero(const X& x) {
  return detail::respelled<CapacityIsTemplateArgument<false, spelled::nonzero, X>>(x);
}
template <Spelled X>
constexpr auto unique(const X& x) {
  return detail::respelled<CapacityIsTemplateArgument<false, spelled::unique, X>>(x);
}

WEFT_REFUSAL(
    PlaceIsTemplateArgument,
    "select: the place is a template argument too: write select<0, 2>(x); one that is known at run time only "
    "is an input, of index_select<0>(x, i)");
template <int Axis, Spelled X, SpelledNumber A>
constexpr auto select(const X& x, const A&) {
  return detail::respelled<PlaceIsTemplateArgument<false, GivenAxis<Axis>, X>>(x);
}

WEFT_REFUSAL(
    WindowIsOne,
    "one template argument is the window or the size, PerAxis{3, 2} where the axes differ, and options "
    "follow it: write max_pool2d<3, PoolOptions{.stride = 2}>(x), adaptive_avg_pool2d<PerAxis{7, 5}>(x), "
    "interpolate<InterpolateOptions{.scale_factor = 2}>(x)");
#define WEFT_WINDOWED(name)                                                               \
  template <i64 A, i64 B, i64... C, Spelled X>                                            \
  constexpr auto name(const X& x) {                                                       \
    return detail::respelled<WindowIsOne<false, spelled::name, Shape<A, B, C...>, X>>(x); \
  }
WEFT_WINDOWED(max_pool1d)
WEFT_WINDOWED(max_pool2d)
WEFT_WINDOWED(max_pool3d)
WEFT_WINDOWED(avg_pool1d)
WEFT_WINDOWED(avg_pool2d)
WEFT_WINDOWED(avg_pool3d)
WEFT_WINDOWED(adaptive_avg_pool1d)
WEFT_WINDOWED(adaptive_avg_pool2d)
WEFT_WINDOWED(adaptive_avg_pool3d)
WEFT_WINDOWED(adaptive_max_pool1d)
WEFT_WINDOWED(adaptive_max_pool2d)
WEFT_WINDOWED(adaptive_max_pool3d)
#undef WEFT_WINDOWED
template <auto Factor, Spelled X>
requires std::is_arithmetic_v<decltype(Factor)>
constexpr auto interpolate(const X& x) {
  return detail::respelled<WindowIsOne<false, spelled::interpolate, X>>(x);
}

#define WEFT_BRACED(name)                                                           \
  template <Spelled X, class... B>                                                  \
  constexpr auto name(const X& x, std::initializer_list<int>, const B&...) {        \
    return detail::respelled<AxesAreTemplateArguments<false, spelled::name, X>>(x); \
  }
WEFT_BRACED(pad)
WEFT_BRACED(sum)
WEFT_BRACED(mean)
WEFT_BRACED(flip)
WEFT_BRACED(permute)
WEFT_BRACED(reshape)
WEFT_BRACED(view)
WEFT_BRACED(expand)
WEFT_BRACED(repeat)
WEFT_BRACED(layer_norm)
#undef WEFT_BRACED

#define WEFT_COMPARED(name)                                               \
  template <Spelled X, Operand Y>                                         \
  constexpr auto name(const X& x, const Y&) {                             \
    return detail::respelled<TwoAreCompared<false, spelled::name, X>>(x); \
  }
WEFT_COMPARED(max)
WEFT_COMPARED(min)
#undef WEFT_COMPARED

#define WEFT_CREATED(name)                                                                              \
  template <SpelledNumber A, SpelledNumber... B>                                                        \
  constexpr auto name(const A&, const B&...) {                                                          \
    return detail::misspelt<DtypeAndShapeAreTemplateArguments<false, spelled::name, A>>();              \
  }                                                                                                     \
  template <i64 D, i64... E>                                                                            \
  constexpr auto name() {                                                                               \
    return detail::misspelt<DtypeAndShapeAreTemplateArguments<false, spelled::name, Shape<D, E...>>>(); \
  }                                                                                                     \
  template <class... B>                                                                                 \
  constexpr auto name(std::initializer_list<int>, const B&...) {                                        \
    return detail::misspelt<DtypeAndShapeAreTemplateArguments<false, spelled::name, B...>>();           \
  }
WEFT_CREATED(zeros)
WEFT_CREATED(ones)
WEFT_CREATED(empty)
WEFT_CREATED(rand)
WEFT_CREATED(randn)
WEFT_CREATED(eye)
WEFT_CREATED(arange)
WEFT_CREATED(linspace)
#undef WEFT_CREATED
template <SpelledNumber A, SpelledNumber B, class C, class... D>
constexpr auto randint(const A&, const B&, const C&, const D&...) {
  return detail::misspelt<DtypeAndShapeAreTemplateArguments<false, spelled::randint, A>>();
}
template <SpelledNumber A, SpelledNumber B>
constexpr auto randint(const A&, const B&, std::initializer_list<int>) {
  return detail::misspelt<DtypeAndShapeAreTemplateArguments<false, spelled::randint, A>>();
}

#define WEFT_LIKE(name)                                                                         \
  template <Spelled X, class A>                                                                 \
  constexpr auto name(const X& x, const A&) {                                                   \
    return detail::respelled<DtypeAndShapeAreTemplateArguments<false, spelled::name, X, A>>(x); \
  }
WEFT_LIKE(zeros_like)
WEFT_LIKE(ones_like)
WEFT_LIKE(empty_like)
#undef WEFT_LIKE

#define WEFT_WORDED(name)                                                         \
  template <Spelled X, class Y>                                                   \
  constexpr auto name(const X& x, const Y&, const char*) {                        \
    return detail::respelled<WordIsTemplateArgument<false, spelled::name, X>>(x); \
  }
WEFT_WORDED(mse_loss)
WEFT_WORDED(l1_loss)
WEFT_WORDED(cross_entropy)
WEFT_WORDED(nll_loss)
WEFT_WORDED(binary_cross_entropy)
WEFT_WORDED(bce_with_logits)
WEFT_WORDED(pad)
#undef WEFT_WORDED

template <Spelled X>
constexpr auto softmax(const X& x) {
  return detail::respelled<AxesAreTemplateArguments<false, spelled::softmax, X>>(x);
}
template <Spelled X>
constexpr auto log_softmax(const X& x) {
  return detail::respelled<AxesAreTemplateArguments<false, spelled::log_softmax, X>>(x);
}
template <Spelled X, class... Y>
constexpr auto einsum(const char*, const X& x, const Y&...) {
  return detail::respelled<WordIsTemplateArgument<false, spelled::einsum, X>>(x);
}
// A value of any shape.
struct AnySpelled {
  template <Spelled X>
  constexpr AnySpelled(const X&) {}
};
#define WEFT_JOINED(name)                                                               \
  template <class... A>                                                                 \
  constexpr auto name(std::initializer_list<AnySpelled>, const A&...) {                 \
    static_assert(sizeof(TensorsAreArguments<sizeof...(A) == 9, spelled::name>) > 0);   \
    return AfterRefusal{};                                                              \
  }                                                                                     \
  template <Spelled X, SpelledNumber... A>                                              \
  constexpr auto name(std::initializer_list<X> x, const A&...) {                        \
    return detail::respelled<TensorsAreArguments<false, spelled::name, X>>(*x.begin()); \
  }
WEFT_JOINED(cat)
WEFT_JOINED(stack)
WEFT_JOINED(concat)
#undef WEFT_JOINED

}  // namespace WEFT_NAMESPACE
