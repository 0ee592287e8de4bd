#pragma once
// Normalisation across neighbouring channels: torch.nn.functional.local_response_norm.

#include "weft/ops/nn/pool.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(
    LocalResponseFits,
    "local_response_norm<size> takes (N, C, ...) of floats with at least three axes, size at least 1");

// x / (k + alpha m)^beta, where m is the mean of x^2 over Size channels around each, those outside counting
// as zeros.
template <i64 Size>
struct LocalResponseNormOp : Operation<LocalResponseNormOp<Size>> {
  template <ExprLike X, class A, class B, class K>
  static constexpr auto apply(ir::Builder& b, const X& x, const A& alpha, const B& beta, const K& k) {
    using T = typename X::dtype;
    constexpr bool ok = X::rank >= 3 && Size >= 1 && is_float(dtype_of<T>);
    static_assert(sizeof(LocalResponseFits<ok, LocalResponseNormOp, typename X::shape>) > 0);
    if constexpr (!ok || X::shape::size == 0) {
      return x;
    } else {
      constexpr Dims d = X::shape::value;
      const auto wide = CastOp<opmath<T>>::apply(b, x);
      i64 places = 1;
      for (int i = 2; i < d.rank; ++i) places *= d.extent[i];
      const i64 lines[]{d.extent[0], d.extent[1], places};
      const ir::Value squares = ir::reshape(mul(wide, wide).value, ir::make_dims(3, lines));
      detail::PoolAxis axes[2];
      axes[0].extent = axes[0].out = d.extent[1];
      axes[0].window = Size;
      axes[0].low = Size / 2;
      axes[1].extent = axes[1].out = places;
      const ir::Value sums = detail::sum_pool_value(squares, axes, 2);
      const Expr<opmath<T>, typename X::shape> near{ir::reshape(sums / static_cast<double>(Size), d)};
      return CastOp<T>::apply(b, div(wide, pow(add(mul(near, alpha), k), beta)));
    }
  }
};

// local_response_norm<5>(x, alpha, beta, k): x (N, C, ...).
template <i64 Size, class X, class A = double, class B = double, class K = double>
constexpr auto local_response_norm(const X& x, const A& alpha = 1e-4, const B& beta = 0.75, const K& k = 1) {
  return LocalResponseNormOp<Size>{}(x, alpha, beta, k);
}

}  // namespace WEFT_NAMESPACE
