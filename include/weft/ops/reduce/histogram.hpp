#pragma once
// torch.histogram: how many elements, or how much weight, lies in each bin, and the bins' edges. (Counts
// alone are histc and bincount, in index/padded_results.hpp.)

#include "weft/ops/index/padded_results.hpp"
#include "weft/ops/shape/creation.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(EdgesAscend,
             "histogram takes its edges as a vector of at least two, or histogram<bins> a number of bins");
WEFT_REFUSAL(HistogramWeights, "histogram: the weights must have the shape of the elements");

// Counts of elements between ascending edges, the last edge belonging to the last bin; what lies outside, and
// NaN, does not count.
struct HistogramOp : Operation<HistogramOp> {
  template <ExprLike X, ExprLike E, class W>
  static constexpr auto apply(ir::Builder& b, const X& in, const E& edges, const W& weight) {
    constexpr bool lined = E::rank == 1 && E::shape::size >= 2;
    static_assert(sizeof(EdgesAscend<lined, HistogramOp, typename E::shape>) > 0);
    constexpr bool fits = !is_expr<W> || shape_of_operand<W>::value == X::shape::value;
    static_assert(sizeof(HistogramWeights<fits, HistogramOp, typename X::shape, shape_of_operand<W>>) > 0);
    constexpr i64 bins = lined ? E::shape::size - 1 : 1;
    using T = typename E::dtype;
    if constexpr (!lined || !fits) {
      return detail::refused<T, Shape<bins>>(in);
    } else {
      const auto x = ReshapeOp<X::shape::size>::apply(b, CastOp<T>::apply(b, in));
      const auto place = sub(SearchSortedOp<true>::apply(b, edges, x), 1);
      const auto least = SelectIndexOp<0, 0>::apply(b, edges);
      const auto most = SelectIndexOp<0, -1>::apply(b, edges);
      const auto inside = bitwise_and(ge(x, least), le(x, most));
      const auto bin = where(inside, minimum(place, bins - 1), bins);
      const ir::Value w = ir::reshape(ir::broadcast(detail::as_value<T>(b, weight), X::shape::value),
                                      Shape<X::shape::size>::value);
      return Expr<T, Shape<bins>>{ir::scatter_reduce(bin.value, w, 0, bins, ir::Fold::sum)};
    }
  }
};
// Bins + 1 edges, as x's dtype has them, between two numbers, or between the least and the greatest of x;
// where these are equal, half a step apart on both sides.
template <i64 Bins>
struct HistogramEdgesOp : Operation<HistogramEdgesOp<Bins>> {
  template <ExprLike X, class A, class B>
  static constexpr auto apply(ir::Builder& b, const X&, const A& low, const B& high) {
    using T = floating<typename X::dtype>;
    const Expr<T, Shape<>> from{detail::as_value<T>(b, low)}, to{detail::as_value<T>(b, high)};
    const auto same = eq(from, to);
    return detail::LinspaceOp<T, Bins + 1>::apply(b, where(same, sub(from, 0.5), from),
                                                  where(same, add(to, 0.5), to));
  }
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    if constexpr (X::shape::size == 0)
      return apply(b, x, 0, 1);
    else
      return apply(b, x, ReduceOp<ir::Op::reduce_min, false>::apply(b, x),
                   ReduceOp<ir::Op::reduce_max, false>::apply(b, x));
  }
};
// Counts as a density, whose integral is 1.
struct HistogramDensityOp : Operation<HistogramDensityOp> {
  template <class C, class E>
  static constexpr auto apply(ir::Builder& b, const C& counts, const E& edges) {
    const auto widths =
        sub(SliceAxisOp<0, 1, to_end, 1>::apply(b, edges), SliceAxisOp<0, 0, -1, 1>::apply(b, edges));
    return div(div(counts, widths), ReduceOp<ir::Op::reduce_sum, false>::apply(b, counts));
  }
};

namespace detail {

template <bool Density, class X, class E, class W>
constexpr auto histogram_of(const X& x, const E& edges, const W& weight) {
  const auto counts = HistogramOp{}(x, edges, weight);
  if constexpr (Density)
    return std::tuple{HistogramDensityOp{}(counts, edges), edges};
  else
    return std::tuple{counts, edges};
}

}  // namespace detail

// histogram<bins>(x): a tuple of counts and edges, the bins being equal parts of the range of x;
// histogram<bins>(x, low, high), of that range; histogram(x, edges), of bins of one's own. A weight for each
// element may follow. histogram<bins, true>: the density, counts over the whole and the bins' widths.
template <i64 Bins, bool Density = false, class X>
constexpr auto histogram(const X& x) {
  return detail::histogram_of<Density>(x, HistogramEdgesOp<Bins>{}(x), 1);
}
template <i64 Bins, bool Density = false, class X, class A, class B, class W = int>
requires(Bins > 0) constexpr auto histogram(const X& x, const A& low, const B& high, const W& weight = 1) {
  return detail::histogram_of<Density>(x, HistogramEdgesOp<Bins>{}(x, low, high), weight);
}
template <i64 Bins = 0, bool Density = false, class X, class E, class W = int>
requires(Bins == 0) constexpr auto histogram(const X& x, const E& edges, const W& weight = 1) {
  return detail::histogram_of<Density>(x, edges, weight);
}

}  // namespace WEFT_NAMESPACE
