#pragma once
// Pooling by a norm: torch.nn.functional.lp_pool1d, lp_pool2d, lp_pool3d.

#include "weft/ops/math/composed.hpp"
#include "weft/ops/nn/pool.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(LpPoolOptionsFit,
             "lp_pool takes stride and ceil_mode; padding, dilation and a divisor it does not");

// (sum of x^p over each window)^(1/p); 0, with gradient 0, where the sum is 0. In PyTorch's manner a window
// that ceil_mode lets reach over the end counts its sum as if it were full.
template <int Spatial, PerAxis Window, PoolOptions Options>
struct LpPoolOp : Operation<LpPoolOp<Spatial, Window, Options>> {
  template <ExprLike X, class P>
  static constexpr auto apply(ir::Builder& b, const X& x, const P& p) {
    constexpr bool plain = Options.padding == PerAxis(0) && Options.dilation == PerAxis(1) &&
                           Options.divisor_override == 0 && Options.count_include_pad;
    static_assert(sizeof(LpPoolOptionsFit<plain, LpPoolOp, typename X::shape>) > 0);
    using T = typename X::dtype;
    const auto wide = CastOp<opmath<T>>::apply(b, x);
    i64 size = 1;
    for (int k = 0; k < Spatial; ++k) size *= Window[k];
    const Expr<opmath<T>, Shape<>> order{detail::as_value<opmath<T>>(b, p)};
    const auto mean = AvgPoolOp<Spatial, Window, Options>::apply(b, pow(wide, order));
    const auto none = eq(mean, 0);
    const auto sums = mul(where(none, 1, mean), static_cast<double>(size));
    return CastOp<T>::apply(b, where(none, 0, pow(sums, div(1, order))));
  }
};

// lp_pool2d<3, PoolOptions{.stride = 2}>(x, p): x (N, C, ...) or (C, ...) of floats, the norm a number.
template <PerAxis Window, PoolOptions Options = PoolOptions{}, class X, class P>
constexpr auto lp_pool1d(const X& x, const P& norm_type) {
  return LpPoolOp<1, Window, Options>{}(x, norm_type);
}
template <PerAxis Window, PoolOptions Options = PoolOptions{}, class X, class P>
constexpr auto lp_pool2d(const X& x, const P& norm_type) {
  return LpPoolOp<2, Window, Options>{}(x, norm_type);
}
template <PerAxis Window, PoolOptions Options = PoolOptions{}, class X, class P>
constexpr auto lp_pool3d(const X& x, const P& norm_type) {
  return LpPoolOp<3, Window, Options>{}(x, norm_type);
}

}  // namespace WEFT_NAMESPACE
