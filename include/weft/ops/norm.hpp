#pragma once
// Normalisation along the last axis. Reduced values keep their axis, so that each of these is one kernel that
// reads a row once.

#include "weft/ops/reduce.hpp"

namespace weft {

// What: the shape of x, then that of the weight or bias, which must be x's last axis.
template <bool Ok, class Op, class... What>
struct WeightMatchesRow {
  static_assert(Ok, "the weight and the bias of a normalisation must have the extent of the last axis");
};

namespace detail {
// A row rounded once, to the dtype that the operands have in common.
template <class X, class W, class... More, class R>
constexpr auto rounded_row(ir::Builder& b, const R& row) {
  using T = common<Expr<floating<typename X::dtype>, Shape<>>, W>;
  if constexpr (sizeof...(More) == 0)
    return CastOp<T>::apply(b, row);
  else
    return rounded_row<Expr<T, Shape<>>, More...>(b, row);
}
template <class X, class W>
inline constexpr bool fits_row =
    X::rank >= 1 && W::rank == 1 && X::value.extent[X::rank >= 1 ? X::rank - 1 : 0] == W::value.extent[0];
}  // namespace detail

// (x - mean) / sqrt(variance + eps), then times weight plus bias: torch.nn.functional.layer_norm over the
// last axis.
struct LayerNormOp : Operation<LayerNormOp> {
  template <class X, class E>
  static constexpr auto normalized(ir::Builder& b, const X& x, const E& eps) {
    static_assert(sizeof(RankIs<(X::rank >= 1), LayerNormOp, typename X::shape, GivenRank<1>>) > 0);
    const auto wide = CastOp<opmath<typename X::dtype>>::apply(b, x);
    const auto centred = sub(wide, MeanOp<true, -1>::apply(b, wide));
    const auto variance = MeanOp<true, -1>::apply(b, mul(centred, centred));
    return mul(centred, rsqrt(add(variance, eps)));
  }
  template <class X, class E>
  static constexpr auto apply(ir::Builder& b, const X& x, const E& eps) {
    return CastOp<floating<typename X::dtype>>::apply(b, normalized(b, x, eps));
  }
  template <class X, class W, class E>
  static constexpr auto apply(ir::Builder& b, const X& x, const W& weight, const E& eps) {
    static_assert(sizeof(WeightMatchesRow<detail::fits_row<typename X::shape, typename W::shape>, LayerNormOp,
                                          typename X::shape, typename W::shape>) > 0);
    return detail::rounded_row<X, W>(b, mul(normalized(b, x, eps), weight));
  }
  template <class X, class W, class B, class E>
  static constexpr auto apply(ir::Builder& b, const X& x, const W& weight, const B& bias, const E& eps) {
    static_assert(sizeof(WeightMatchesRow<detail::fits_row<typename X::shape, typename W::shape>, LayerNormOp,
                                          typename X::shape, typename W::shape>) > 0);
    static_assert(sizeof(WeightMatchesRow<detail::fits_row<typename X::shape, typename B::shape>, LayerNormOp,
                                          typename X::shape, typename B::shape>) > 0);
    return detail::rounded_row<X, W, B>(b, add(mul(normalized(b, x, eps), weight), bias));
  }
};

// x / sqrt(mean(x^2) + eps), times weight: torch.nn.functional.rms_norm over the last axis.
struct RmsNormOp : Operation<RmsNormOp> {
  // eps: PyTorch's, the distance from 1 to the next number of the dtype that it is computed in.
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    return apply(b, x, static_cast<double>(std::numeric_limits<opmath<typename X::dtype>>::epsilon()));
  }
  template <class X, class W>
  requires is_expr<W>
  static constexpr auto apply(ir::Builder& b, const X& x, const W& weight) {
    return apply(b, x, weight, static_cast<double>(std::numeric_limits<opmath<typename X::dtype>>::epsilon()));
  }
  template <class X, class E>
  requires(!is_expr<E>) static constexpr auto apply(ir::Builder& b, const X& x, const E& eps) {
    return CastOp<floating<typename X::dtype>>::apply(b, normalized(b, x, eps));
  }
  template <class X, class E>
  static constexpr auto normalized(ir::Builder& b, const X& x, const E& eps) {
    static_assert(sizeof(RankIs<(X::rank >= 1), RmsNormOp, typename X::shape, GivenRank<1>>) > 0);
    const auto wide = CastOp<opmath<typename X::dtype>>::apply(b, x);
    const auto square = MeanOp<true, -1>::apply(b, mul(wide, wide));
    return mul(wide, rsqrt(add(square, eps)));
  }
  template <class X, class W, class E>
  static constexpr auto apply(ir::Builder& b, const X& x, const W& weight, const E& eps) {
    static_assert(sizeof(WeightMatchesRow<detail::fits_row<typename X::shape, typename W::shape>, RmsNormOp,
                                          typename X::shape, typename W::shape>) > 0);
    return detail::rounded_row<X, W>(b, mul(normalized(b, x, eps), weight));
  }
};

// layer_norm(x), (x, weight), (x, weight, bias); eps last.
template <class X>
constexpr auto layer_norm(const X& x, double eps = 1e-5) {
  return LayerNormOp{}(x, eps);
}
template <class X, class W>
requires(!Scalar<W>) constexpr auto layer_norm(const X& x, const W& weight, double eps = 1e-5) {
  return LayerNormOp{}(x, weight, eps);
}
template <class X, class W, class B>
requires(!Scalar<W> && !Scalar<B>) constexpr auto layer_norm(const X& x, const W& weight, const B& bias,
                                                             double eps = 1e-5) {
  return LayerNormOp{}(x, weight, bias, eps);
}
// rms_norm(x), (x, weight); eps last: as PyTorch's, the dtype's own unless it is given.
template <class X>
constexpr auto rms_norm(const X& x) {
  return RmsNormOp{}(x);
}
template <class X>
constexpr auto rms_norm(const X& x, double eps) {
  return RmsNormOp{}(x, eps);
}
template <class X, class W>
requires(!Scalar<W>) constexpr auto rms_norm(const X& x, const W& weight) { return RmsNormOp{}(x, weight); }
template <class X, class W>
requires(!Scalar<W>) constexpr auto rms_norm(const X& x, const W& weight, double eps) {
  return RmsNormOp{}(x, weight, eps);
}

}  // namespace weft
