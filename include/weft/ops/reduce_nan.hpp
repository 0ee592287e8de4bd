#pragma once
// The rest of torch's reductions: sums and means that skip NaN, several statistics at once, and comparisons
// of whole tensors. Axes are template arguments, `keepdim` is as in reduce.hpp.

#include "weft/ops/logic.hpp"
#include "weft/ops/reduce_more.hpp"

namespace weft {

template <bool Keep, int... A>
struct NanSum : Operation<NanSum<Keep, A...>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    if constexpr (is_float(dtype_of<typename X::dtype>))
      return Reduce<ir::Op::reduce_sum, Keep, A...>::apply(b, where(isnan(x), 0, x));
    else
      return Reduce<ir::Op::reduce_sum, Keep, A...>::apply(b, x);
  }
};
template <bool Keep, int... A>
struct NanMean : Operation<NanMean<Keep, A...>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& in) {
    const auto x = detail::real(in);
    const auto counted = Reduce<ir::Op::reduce_sum, Keep, A...>::apply(b, logical_not(isnan(x)));
    return div(NanSum<Keep, A...>::apply(b, x), counted);
  }
};
struct AllEqual : Operation<AllEqual> {
  template <class A, class B>
  static constexpr auto apply(ir::Builder& b, const A& x, const B& y) {
    if constexpr (std::is_same_v<typename A::shape, typename B::shape>)
      return AnyAll<true, false>::apply(b, eq(x, y));
    else
      return Expr<bool, Shape<>>{ir::constant(b, DType::boolean, Dims{}, 0)};
  }
};

// Correction<2>: what is subtracted from the count; var<axes>(x, correction<2>).
template <int N>
struct Correction {};
template <int N>
inline constexpr Correction<N> correction{};

template <int... A, class X>
constexpr auto nansum(const X& x) {
  return NanSum<false, A...>{}(x);
}
template <int... A, class X>
constexpr auto nansum(const X& x, KeepDim) {
  return NanSum<true, A...>{}(x);
}
template <int... A, class X>
constexpr auto nanmean(const X& x) {
  return NanMean<false, A...>{}(x);
}
template <int... A, class X>
constexpr auto nanmean(const X& x, KeepDim) {
  return NanMean<true, A...>{}(x);
}
template <int... A, class X, int N>
constexpr auto var(const X& x, Correction<N>) {
  return Variance<false, N, A...>{}(x);
}
template <int... A, class X, int N>
constexpr auto stddev(const X& x, Correction<N>) {
  return StdDev<false, N, A...>{}(x);
}
// Tuples: the least and the greatest; the variance, or the standard deviation, and the mean.
template <int... A, class X>
constexpr auto aminmax(const X& x) {
  return std::tuple{Reduce<ir::Op::reduce_min, false, A...>{}(x),
                    Reduce<ir::Op::reduce_max, false, A...>{}(x)};
}
template <int... A, class X>
constexpr auto var_mean(const X& x) {
  return std::tuple{Variance<false, 1, A...>{}(x), Mean<false, A...>{}(x)};
}
template <int... A, class X>
constexpr auto std_mean(const X& x) {
  return std::tuple{StdDev<false, 1, A...>{}(x), Mean<false, A...>{}(x)};
}
// The p-norm of a difference, over everything.
template <class X, class Y>
constexpr auto dist(const X& x, const Y& y) {
  return Norm<2, false>{}(sub(x, y));
}
template <class X, class Y, int P>
constexpr auto dist(const X& x, const Y& y, Order<P>) {
  return Norm<P, false>{}(sub(x, y));
}
// Whether shapes and all elements agree; whether all are close.
template <class X, class Y>
constexpr auto equal(const X& x, const Y& y) {
  return AllEqual{}(x, y);
}
template <class X, class Y, class R = double, class T = double>
constexpr auto allclose(const X& x, const Y& y, const R& rtol = 1e-5, const T& atol = 1e-8) {
  return AnyAll<true, false>{}(isclose(x, y, rtol, atol));
}

}  // namespace weft
