#pragma once
// Cross entropy of a linear layer's logits: torch.nn.functional.linear_cross_entropy.

#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/ops/shape/slicing.hpp"

namespace WEFT_NAMESPACE {

// What: the shapes of x, the weight and the bias.
WEFT_REFUSAL(
    LinearClassesFit,
    "linear_cross_entropy takes x (..., in) and a weight (classes, in) with a bias (classes), or x (N, "
    "in) and a weight (classes, d..., in) with a bias (classes, d...)");

namespace detail {

template <class X, class W>
struct linear_classes_rule {
  static constexpr Dims x = X::value, w = W::value;
  static constexpr bool many = w.rank > 2;  // several losses a row: (N, classes, d...)
  static constexpr bool ok = x.rank >= 1 && w.rank >= 2 && (!many || x.rank == 2) &&
                             x.extent[x.rank >= 1 ? x.rank - 1 : 0] == w.extent[w.rank >= 1 ? w.rank - 1 : 0];
  static constexpr Dims make() {
    Dims r = x;
    if (!ok) return r;
    --r.rank;
    for (int k = 0; k + 1 < w.rank; ++k) r.extent[r.rank++] = w.extent[k];
    return r;
  }
  static constexpr Dims value = make();
};

// The logits: (..., classes), or (N, classes, d...).
struct LinearClasses : Operation<LinearClasses> {
  template <ExprLike X, ExprLike W>
  static constexpr auto apply(ir::Builder&, const X& x, const W& weight) {
    using Rule = linear_classes_rule<typename X::shape, typename W::shape>;
    using T = promoted<typename X::dtype, typename W::dtype>;
    static_assert(sizeof(LinearClassesFit<Rule::ok, LinearClasses, typename X::shape, typename W::shape>) >
                  0);
    using R = Expr<T, shape_of<Rule>>;
    if constexpr (Rule::ok)
      return R{ir::dot(ir::cast(x.value, dtype_of<T>), ir::cast(weight.value, dtype_of<T>),
                       contract_last(X::rank, W::rank - 1), dtype_of<T>)};
    else
      return refused<T, typename R::shape>(x, weight);
  }
  template <ExprLike X, ExprLike W, ExprLike B>
  static constexpr auto apply(ir::Builder& b, const X& x, const W& weight, const B& bias) {
    const auto y = apply(b, x, weight);
    constexpr bool fits = B::rank + 1 == W::rank && [] {
      for (int k = 0; k < B::rank && B::rank < W::rank; ++k)
        if (B::shape::value.extent[k] != W::shape::value.extent[k]) return false;
      return true;
    }();
    static_assert(
        sizeof(
            LinearClassesFit<fits, LinearClasses, typename X::shape, typename W::shape, typename B::shape>) >
        0);
    if constexpr (fits)
      return add(y, bias);
    else
      return y;
  }
};

template <LossReduction R, class W, class Y, class T, class... More>
constexpr auto linear_classes_loss(const Y& logits, const T& target, const More&... more) {
  if constexpr (decltype(shape_in_type<W>())::rank > 2)
    return cross_entropy<R, 1>(logits, target, more...);
  else
    return cross_entropy<R>(logits, target, more...);
}

}  // namespace detail

// linear_cross_entropy(x, weight, target), (x, weight, target, bias), (x, weight, target, bias,
// class_weight), options last; everything else as cross_entropy(linear(x, weight, bias), target, ...).
template <LossReduction R = reduction::mean, class X, class W, class T>
constexpr auto linear_cross_entropy(const X& x, const W& weight, const T& target,
                                    CrossEntropyOptions options = {}) {
  return detail::linear_classes_loss<R, W>(detail::LinearClasses{}(x, weight), target, options);
}
template <LossReduction R = reduction::mean, class X, class W, class T, Operand B>
constexpr auto linear_cross_entropy(const X& x, const W& weight, const T& target, const B& bias,
                                    CrossEntropyOptions options = {}) {
  return detail::linear_classes_loss<R, W>(detail::LinearClasses{}(x, weight, bias), target, options);
}
template <LossReduction R = reduction::mean, class X, class W, class T, Operand B, Operand C>
constexpr auto linear_cross_entropy(const X& x, const W& weight, const T& target, const B& bias,
                                    const C& class_weight, CrossEntropyOptions options = {}) {
  return detail::linear_classes_loss<R, W>(detail::LinearClasses{}(x, weight, bias), target, class_weight,
                                           options);
}

}  // namespace WEFT_NAMESPACE
