#pragma once
// Distances between all pairs of rows, torch.cdist and torch.nn.functional.pdist, and how rows vary together,
// torch.cov and torch.corrcoef.

#include "weft/ops/index/padded_results.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/shape/rearrange.hpp"
#include "weft/ops/shape/triangular.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(RowsFit, "cdist takes (..., rows, features) twice, with the same features");

// Of order P, between every row of x (..., n, m) and every row of y (..., k, m).
template <int P>
struct CdistOp : Operation<CdistOp<P>> {
  template <ExprLike X, ExprLike Y>
  static constexpr auto apply(ir::Builder& b, const X& x, const Y& y) {
    constexpr bool ok = X::rank >= 2 && Y::rank >= 2 && X::rank < max_rank && Y::rank < max_rank &&
                        X::shape::value.extent[X::rank >= 1 ? X::rank - 1 : 0] ==
                            Y::shape::value.extent[Y::rank >= 1 ? Y::rank - 1 : 0];
    static_assert(sizeof(RowsFit<ok, CdistOp, typename X::shape, typename Y::shape>) > 0);
    if constexpr (ok) {  // differences of floats: those of integers would wrap around
      using T = floating<promoted<typename X::dtype, typename Y::dtype>>;
      using Wide = CastOp<opmath<T>>;
      return CastOp<T>::apply(
          b, NormOp<P, false, -1>::apply(b, sub(UnsqueezeOp<-2>::apply(b, Wide::apply(b, x)),
                                                UnsqueezeOp<-3>::apply(b, Wide::apply(b, y)))));
    } else {
      return detail::real(x);
    }
  }
};
// The distances between rows i < j of a matrix, row by row.
template <int P>
struct PdistOp : Operation<PdistOp<P>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    static_assert(sizeof(RankIs<X::rank == 2, PdistOp, typename X::shape, GivenRank<2>>) > 0);
    if constexpr (X::rank == 2) {
      constexpr i64 n = X::shape::value[0];
      const auto all = CdistOp<P>::apply(b, x, x);
      const Dims d = Shape<n, n>::value;
      const Expr<bool, Shape<n, n>> later{
          ir::binary(ir::Op::lt, detail::triangle_row(b, d), detail::triangle_column(b, d))};
      return MaskedSelectOp<n*(n - 1) / 2, false>::apply(b, all, later);
    } else {
      return x;
    }
  }
};

// Of variables (rows) over observations (columns); C is subtracted from the count.
template <int C>
struct CovOp : Operation<CovOp<C>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& in) {
    static_assert(sizeof(RankIs < X::rank == 1 || X::rank == 2, CovOp, typename X::shape, GivenRank < 2 >>) >
                  0);
    const auto x = detail::real(in);
    if constexpr (X::rank == 1) {
      return VarianceOp<false, C, 0>::apply(b, x);
    } else if constexpr (X::rank == 2) {
      using T = typename decltype(x)::dtype;
      const auto wide = CastOp<opmath<T>>::apply(b, x);
      const auto centred = sub(wide, MeanOp<true, 1>::apply(b, wide));
      constexpr i64 count = X::shape::value[1] - C;
      const auto sums = MatmulOp::apply(b, centred, TransposeOp<0, 1>::apply(b, centred));
      return CastOp<T>::apply(b, div(sums, count > 0 ? static_cast<double>(count) : 0.0));
    } else {
      return x;
    }
  }
};
struct CorrCoefOp : Operation<CorrCoefOp> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    using T = floating<typename X::dtype>;
    const auto covariance = CovOp<1>::apply(b, CastOp<opmath<T>>::apply(b, x));
    using R = std::remove_cvref_t<decltype(covariance)>;
    if constexpr (R::rank == 0) {
      return CastOp<T>::apply(b, div(covariance, covariance));
    } else {
      constexpr i64 n = R::shape::value[0];
      const auto deviation = sqrt(DiagonalOp<0>::apply(b, covariance));
      const auto r = div(div(covariance, ReshapeOp<n, 1>::apply(b, deviation)), deviation);
      return CastOp<T>::apply(b, detail::ClampF{}(r, -1, 1));
    }
  }
};

// cdist(x, y), cdist(x, y, order<1>)
template <class X, class Y>
constexpr auto cdist(const X& x, const Y& y) {
  return CdistOp<2>{}(x, y);
}
template <class X, class Y, int P>
constexpr auto cdist(const X& x, const Y& y, OrderOf<P>) {
  return CdistOp<P>{}(x, y);
}
template <class X>
constexpr auto pdist(const X& x) {
  return PdistOp<2>{}(x);
}
template <class X, int P>
constexpr auto pdist(const X& x, OrderOf<P>) {
  return PdistOp<P>{}(x);
}
// cov(x), cov(x, correction<0>): x (variables, observations)
template <class X>
constexpr auto cov(const X& x) {
  return CovOp<1>{}(x);
}
template <class X, int C>
constexpr auto cov(const X& x, Correction<C>) {
  return CovOp<C>{}(x);
}
template <class X>
constexpr auto corrcoef(const X& x) {
  return CorrCoefOp{}(x);
}

}  // namespace WEFT_NAMESPACE
