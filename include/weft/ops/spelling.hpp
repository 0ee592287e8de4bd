#pragma once
// PyTorch's spelling of operations whose axes, sizes or words are template arguments here: overloads that
// refuse with the spelling to use.

#include <initializer_list>

#include "weft/ops/expr.hpp"

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
    "10>(), eye<f32, 3>() in place of zeros(2, 3), randn(2, 3), arange(10), eye(3)");
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

namespace detail {
template <class Refusal, class X>
constexpr auto respelled(const X& x) {
  static_assert(sizeof(Refusal) > 0);
  if constexpr (ExprLike<X>)
    return to_expr(x);
  else
    return AfterRefusal{};
}
}  // namespace detail

#define WEFT_AXES(name)                                                                \
  template <Spelled X, SpelledNumber A, class... B>                                    \
  constexpr auto name(const X& x, const A&, const B&...) {                             \
    return detail::respelled<AxesAreTemplateArguments<false, GivenName<#name>, X>>(x); \
  }
WEFT_AXES(sum)
WEFT_AXES(prod)
WEFT_AXES(mean)
WEFT_AXES(argmax)
WEFT_AXES(argmin)
WEFT_AXES(amax)
WEFT_AXES(amin)
WEFT_AXES(all)
WEFT_AXES(any)
WEFT_AXES(logsumexp)
WEFT_AXES(norm)
WEFT_AXES(median)
WEFT_AXES(sort)
WEFT_AXES(argsort)
WEFT_AXES(topk)
WEFT_AXES(kthvalue)
WEFT_AXES(cumsum)
WEFT_AXES(cumprod)
WEFT_AXES(cummax)
WEFT_AXES(cummin)
WEFT_AXES(logcumsumexp)
WEFT_AXES(softmax)
WEFT_AXES(log_softmax)
WEFT_AXES(softmin)
WEFT_AXES(glu)
WEFT_AXES(squeeze)
WEFT_AXES(unsqueeze)
WEFT_AXES(transpose)
WEFT_AXES(swapaxes)
WEFT_AXES(movedim)
WEFT_AXES(permute)
WEFT_AXES(flatten)
WEFT_AXES(unflatten)
WEFT_AXES(reshape)
WEFT_AXES(view)
WEFT_AXES(expand)
WEFT_AXES(broadcast_to)
WEFT_AXES(repeat)
WEFT_AXES(tile)
WEFT_AXES(flip)
WEFT_AXES(roll)
WEFT_AXES(unbind)
WEFT_AXES(select)
WEFT_AXES(narrow)
WEFT_AXES(slice)
WEFT_AXES(split)
WEFT_AXES(chunk)
WEFT_AXES(gather)
WEFT_AXES(index_select)
WEFT_AXES(take_along_dim)
WEFT_AXES(scatter)
WEFT_AXES(scatter_add)
WEFT_AXES(index_add)
WEFT_AXES(one_hot)
WEFT_AXES(tril)
WEFT_AXES(triu)
WEFT_AXES(diagonal)
WEFT_AXES(repeat_interleave)
WEFT_AXES(pixel_shuffle)
WEFT_AXES(count_nonzero)
WEFT_AXES(std_mean)
WEFT_AXES(max_pool1d)
WEFT_AXES(max_pool2d)
WEFT_AXES(max_pool3d)
WEFT_AXES(avg_pool1d)
WEFT_AXES(avg_pool2d)
WEFT_AXES(avg_pool3d)
WEFT_AXES(adaptive_avg_pool2d)
#undef WEFT_AXES

#define WEFT_BRACED(name)                                                              \
  template <Spelled X, class... B>                                                     \
  constexpr auto name(const X& x, std::initializer_list<int>, const B&...) {           \
    return detail::respelled<AxesAreTemplateArguments<false, GivenName<#name>, X>>(x); \
  }
WEFT_BRACED(sum)
WEFT_BRACED(mean)
WEFT_BRACED(flip)
WEFT_BRACED(roll)
WEFT_BRACED(permute)
WEFT_BRACED(reshape)
WEFT_BRACED(view)
WEFT_BRACED(expand)
WEFT_BRACED(repeat)
WEFT_BRACED(tile)
WEFT_BRACED(squeeze)
WEFT_BRACED(layer_norm)
WEFT_BRACED(max_pool2d)
WEFT_BRACED(avg_pool2d)
#undef WEFT_BRACED

#define WEFT_COMPARED(name)                                                  \
  template <Spelled X, Operand Y>                                            \
  constexpr auto name(const X& x, const Y&) {                                \
    return detail::respelled<TwoAreCompared<false, GivenName<#name>, X>>(x); \
  }
WEFT_COMPARED(max)
WEFT_COMPARED(min)
#undef WEFT_COMPARED

#define WEFT_CREATED(name)                                                                    \
  template <SpelledNumber A, SpelledNumber... B>                                              \
  constexpr auto name(const A&, const B&...) {                                                \
    return detail::misspelt<DtypeAndShapeAreTemplateArguments<false, GivenName<#name>, A>>(); \
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

#define WEFT_WORDED(name)                                                            \
  template <Spelled X, class Y>                                                      \
  constexpr auto name(const X& x, const Y&, const char*) {                           \
    return detail::respelled<WordIsTemplateArgument<false, GivenName<#name>, X>>(x); \
  }
WEFT_WORDED(mse_loss)
WEFT_WORDED(l1_loss)
WEFT_WORDED(huber_loss)
WEFT_WORDED(smooth_l1_loss)
WEFT_WORDED(cross_entropy)
WEFT_WORDED(nll_loss)
WEFT_WORDED(kl_div)
WEFT_WORDED(binary_cross_entropy)
WEFT_WORDED(binary_cross_entropy_with_logits)
WEFT_WORDED(bce_with_logits)
WEFT_WORDED(pad)
#undef WEFT_WORDED

template <Spelled X, class... Y>
constexpr auto einsum(const char*, const X& x, const Y&...) {
  return detail::respelled<WordIsTemplateArgument<false, GivenName<"einsum">, X>>(x);
}
#define WEFT_JOINED(name)                                                                  \
  template <Spelled X, SpelledNumber... A>                                                 \
  constexpr auto name(std::initializer_list<X> x, const A&...) {                           \
    return detail::respelled<TensorsAreArguments<false, GivenName<#name>, X>>(*x.begin()); \
  }
WEFT_JOINED(cat)
WEFT_JOINED(stack)
WEFT_JOINED(concat)
#undef WEFT_JOINED

}  // namespace WEFT_NAMESPACE
