#pragma once
// The rest of torch's reductions: sums and means that skip NaN, several statistics at once, and comparisons
// of whole tensors. Axes are template arguments, `keepdim` is as in reduce.hpp.

#include "weft/ops/math/logic.hpp"
#include "weft/ops/reduce/composed.hpp"

namespace WEFT_NAMESPACE {

template <bool Keep, int... A>
struct NanSumOp : Operation<NanSumOp<Keep, A...>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    if constexpr (is_float(dtype_of<typename X::dtype>))
      return ReduceOp<ir::Op::reduce_sum, Keep, A...>::apply(b, where(isnan(x), 0, x));
    else
      return ReduceOp<ir::Op::reduce_sum, Keep, A...>::apply(b, x);
  }
};
template <bool Keep, int... A>
struct NanMeanOp : Operation<NanMeanOp<Keep, A...>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& in) {
    const auto x = CastOp<opmath<typename X::dtype>>::apply(b, in);
    const auto counted = ReduceOp<ir::Op::reduce_sum, Keep, A...>::apply(b, logical_not(isnan(x)));
    return CastOp<floating<typename X::dtype>>::apply(b, div(NanSumOp<Keep, A...>::apply(b, x), counted));
  }
};
namespace detail {
template <int P>
struct DistanceF {
  constexpr auto operator()(const auto& x, const auto& y) const {
    return NormOp<P, false>{}(sub(real(x), real(y)));
  }
};
}  // namespace detail
struct AllEqualOp : Operation<AllEqualOp> {
  template <ExprLike A, ExprLike B>
  static constexpr auto apply(ir::Builder& b, const A& x, const B& y) {
    if constexpr (std::is_same_v<typename A::shape, typename B::shape>)
      return AnyAllOp<true, false>::apply(b, eq(x, y));
    else
      return Expr<bool, Shape<>>{ir::constant(b, DType::boolean, Dims{}, 0)};
  }
};

template <AxisIndex... A, class X>
constexpr auto nansum(const X& x) {
  return NanSumOp<false, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto nansum(const X& x, KeepDim) {
  return NanSumOp<true, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto nanmean(const X& x) {
  return NanMeanOp<false, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto nanmean(const X& x, KeepDim) {
  return NanMeanOp<true, A...>{}(x);
}
// Tuples: the least and the greatest; the variance, or the standard deviation, and the mean, with the options
// of var.
template <AxisIndex... A, class X>
constexpr auto aminmax(const X& x) {
  return std::tuple{ReduceOp<ir::Op::reduce_min, false, A...>{}(x),
                    ReduceOp<ir::Op::reduce_max, false, A...>{}(x)};
}
template <AxisIndex... A, class X>
constexpr auto aminmax(const X& x, KeepDim) {
  return std::tuple{ReduceOp<ir::Op::reduce_min, true, A...>{}(x),
                    ReduceOp<ir::Op::reduce_max, true, A...>{}(x)};
}
template <AxisIndex... A, class X, class... Option>
constexpr auto var_mean(const X& x, const Option&...) {
  using Given = detail::SpreadOptions<Option...>;
  return std::tuple{VarianceOp<Given::keep, Given::correction, A...>{}(x), MeanOp<Given::keep, A...>{}(x)};
}
template <AxisIndex... A, class X, class... Option>
constexpr auto std_mean(const X& x, const Option&...) {
  using Given = detail::SpreadOptions<Option...>;
  return std::tuple{StdDevOp<Given::keep, Given::correction, A...>{}(x), MeanOp<Given::keep, A...>{}(x)};
}
// The p-norm of a difference, over everything.
template <class X, class Y>
constexpr auto dist(const X& x, const Y& y) {
  return detail::Composed<detail::InSingle<detail::DistanceF<2>>>{}(x, y);
}
template <class X, class Y, int P>
constexpr auto dist(const X& x, const Y& y, OrderOf<P>) {
  return detail::Composed<detail::InSingle<detail::DistanceF<P>>>{}(x, y);
}
// Whether shapes and all elements agree; whether all are close.
template <class X, class Y>
constexpr auto equal(const X& x, const Y& y) {
  return AllEqualOp{}(x, y);
}
template <class X, class Y, class R = double, class T = double>
constexpr auto allclose(const X& x, const Y& y, const R& rtol = 1e-5, const T& atol = 1e-8) {
  return AnyAllOp<true, false>{}(isclose(x, y, rtol, atol));
}

}  // namespace WEFT_NAMESPACE
