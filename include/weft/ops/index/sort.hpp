#pragma once
// Order along one axis, with PyTorch's names: argsort, sort, topk, kthvalue, median, quantile, searchsorted.
// Sorting is stable and NaN is the greatest, as in PyTorch. Results with places are tuples (values, places).

#include "weft/ops/core/number_range.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/math/composed.hpp"
#include "weft/ops/reduce/composed.hpp"

namespace WEFT_NAMESPACE {

struct Descending {};
inline constexpr Descending descending{};
struct Smallest {};
inline constexpr Smallest smallest{};
struct RightSide {};
inline constexpr RightSide right_side{};

WEFT_REFUSAL(
    CountInRange,
    "topk, kthvalue and median take at least one element of the axis, and at most as many as it has");

// The places of the first Count elements in order; Count -1 means all.
template <int Axis, bool Down, i64 Count>
struct ArgSortOp : Operation<ArgSortOp<Axis, Down, Count>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    constexpr bool ok = axis_in_range(Axis, X::rank);
    static_assert(sizeof(AxisInRange<ok, ArgSortOp, typename X::shape>) > 0);
    constexpr i64 extent = ok ? X::shape::value[Axis] : 1;
    constexpr i64 count = Count < 0 ? extent : Count;
    constexpr bool fits = count <= extent;
    static_assert(sizeof(CountInRange<fits, ArgSortOp, typename X::shape, GivenSize<count>>) > 0);
    using R = Expr<i64, shape_of<detail::selected_rule<typename X::shape, Axis, count>>>;
    if constexpr (ok && fits)
      return R{ir::argsort(x.value, normalize_axis(Axis, X::rank), Down, count)};
    else
      return detail::refused<i64, typename R::shape>(x);
  }
};
template <int Axis, bool Down, i64 Count>
struct SortedOp : Operation<SortedOp<Axis, Down, Count>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    const auto places = ArgSortOp<Axis, Down, Count>::apply(b, x);
    using R = Expr<typename X::dtype, typename decltype(places)::shape>;
    if constexpr (axis_in_range(Axis, X::rank))
      return R{ir::take_along_axis(x.value, places.value, normalize_axis(Axis, X::rank))};
    else
      return detail::refused<typename X::dtype, typename R::shape>(x);
  }
};

namespace detail {

// The axis of a rank statistic: without one, the flattened tensor's.
template <int... A>
struct OneAxis {
  static_assert(sizeof(AxisIsOne<sizeof...(A) <= 1, GivenAxis<A>...>) > 0);
  template <class X>
  static constexpr int axis() {
    int r = 0;
    ((r = A), ...);
    return r;
  }
  template <class X>
  static constexpr auto flat(ir::Builder& b, const X& x) {
    if constexpr (sizeof...(A) == 0)
      return ReshapeOp<X::shape::size>::apply(b, x);
    else
      return x;
  }
};

// How many elements of each line are NaN.
template <int Axis, class X>
constexpr auto missing_count(ir::Builder& b, const X& x) {
  if constexpr (is_float(dtype_of<typename X::dtype>)) {
    return ReduceOp<ir::Op::reduce_sum, true, Axis>::apply(b, isnan(x));
  } else {
    using S = shape_of<selected_rule<typename X::shape, Axis, 1>>;
    return Expr<i64, S>{ir::constant(b, DType::i64, S::value, 0)};
  }
}

}  // namespace detail

// The element that comes K-th (from 1) in ascending order, or its place.
template <i64 K, bool Places, bool Keep, int Axis>
struct KthValueOp : Operation<KthValueOp<K, Places, Keep, Axis>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    constexpr i64 extent = axis_in_range(Axis, X::rank) ? X::shape::value[Axis] : K;
    constexpr bool ok = K >= 1 && K <= extent;
    static_assert(sizeof(CountInRange<ok, KthValueOp, typename X::shape, GivenSize<K>>) > 0);
    constexpr i64 k = ok ? K : 1;
    const auto pick = [&](const auto& first) {
      const auto one = NarrowOp<Axis, k - 1, 1>::apply(b, first);
      using One = std::remove_cvref_t<decltype(one)>;
      using S = shape_of<detail::reduced_rule<typename One::shape, Keep, Axis>>;
      return Expr<typename One::dtype, S>{ir::reshape(one.value, S::value)};
    };
    if constexpr (Places)
      return pick(ArgSortOp<Axis, false, k>::apply(b, x));
    else
      return pick(SortedOp<Axis, false, k>::apply(b, x));
  }
};

// The lower of the two middle elements, or its place. A NaN decides the line, unless NaN are skipped.
template <bool Places, bool SkipNan, bool Keep, int... A>
struct MedianOp : Operation<MedianOp<Places, SkipNan, Keep, A...>> {
  template <class X0>
  static constexpr auto apply(ir::Builder& b, const X0& in) {
    using One = detail::OneAxis<A...>;
    const auto x = One::flat(b, in);
    using X = std::remove_cvref_t<decltype(x)>;
    constexpr int axis = One::template axis<X>();
    constexpr bool ok = axis_in_range(axis, X::rank);
    static_assert(sizeof(AxisInRange<ok, MedianOp, typename X::shape>) > 0);
    if constexpr (!ok) {
      return x;
    } else {
      constexpr i64 n = X::shape::value[axis];
      if constexpr (n == 0 && sizeof...(A) == 0 && !Places) {  // of nothing at all, as in PyTorch
        using S = shape_of<detail::reduced_rule<typename X0::shape, Keep, A...>>;
        const auto none = full_like(sum(x), std::numeric_limits<double>::quiet_NaN());
        return Expr<typename decltype(none)::dtype, S>{ir::reshape(none.value, S::value)};
      } else {
        static_assert(sizeof(CountInRange<(n > 0), MedianOp, typename X::shape>) > 0);
        const auto places = ArgSortOp<axis, false, -1>::apply(b, x);
        const auto nans = detail::missing_count<axis>(b, x);
        const auto middle = BinaryOp<ir::Op::div>::apply(b, maximum(sub(n - 1, nans), 0), i64{2});
        const auto at = [&] {
          if constexpr (SkipNan)
            return middle;
          else
            return where(gt(nans, 0), sub(n, nans), i64{(n - 1) / 2});
        }();
        const auto place = GatherOp<axis>::apply(b, places, at);
        using S = shape_of<detail::reduced_rule<typename X0::shape, Keep, A...>>;
        if constexpr (Places)
          return Expr<i64, S>{ir::reshape(place.value, S::value)};
        else
          return Expr<typename X::dtype, S>{ir::reshape(GatherOp<axis>::apply(b, x, place).value, S::value)};
      }
    }
  }
};

// The q-quantile by linear interpolation between neighbours in order.
template <bool SkipNan, bool Keep, int... A>
struct QuantileOp : Operation<QuantileOp<SkipNan, Keep, A...>> {
  template <ExprLike X0, class Q>
  static constexpr auto apply(ir::Builder& b, const X0& in, const Q& q) {
    using One = detail::OneAxis<A...>;
    const auto x = One::flat(b, CastOp<opmath<typename X0::dtype>>::apply(b, in));
    using X = std::remove_cvref_t<decltype(x)>;
    constexpr int axis = One::template axis<X>();
    constexpr bool ok = axis_in_range(axis, X::rank);
    static_assert(sizeof(AxisInRange<ok, QuantileOp, typename X::shape>) > 0);
    if constexpr (!ok) {
      return x;
    } else {
      using T = typename X::dtype;
      using R = floating<typename X0::dtype>;
      const auto sorted = SortedOp<axis, false, -1>::apply(b, x);
      const auto nans = detail::missing_count<axis>(b, x);
      constexpr i64 last = X::shape::value[axis] - 1;
      const auto at = mul(cast<T>(maximum(sub(last, mul(nans, SkipNan ? 1 : 0)), 0)), q);
      const auto below = floor(at);
      const auto low = GatherOp<axis>::apply(b, sorted, cast<i64>(below));
      const auto high = GatherOp<axis>::apply(b, sorted, cast<i64>(ceil(at)));
      const auto between = detail::LerpF{}(low, high, sub(at, below));
      const auto r = [&] {
        if constexpr (SkipNan)
          return between;
        else
          return where(gt(nans, 0), std::numeric_limits<double>::quiet_NaN(), between);
      }();
      using S = shape_of<detail::reduced_rule<typename X0::shape, Keep, A...>>;
      return detail::known_if(detail::lies_in(q, 0, 1),
                              CastOp<R>::apply(b, Expr<T, S>{ir::reshape(r.value, S::value)}),
                              ir::Valueless::no_share);
    }
  }
};

namespace detail {
template <class A, class B>
struct search_rule {
  static constexpr bool check() {
    if (A::rank == 1) return true;
    if (A::rank != B::rank) return false;
    for (int k = 0; k + 1 < A::rank; ++k)
      if (A::value.extent[k] != B::value.extent[k]) return false;
    return A::rank > 0;
  }
  static constexpr bool ok = check();
};
}  // namespace detail

WEFT_REFUSAL(SequencesFit,
             "the sorted tensor must be a vector, or agree with the values in all axes but the last");

// How many elements of each sorted line lie below each value; Right: not above it.
template <bool Right>
struct SearchSortedOp : Operation<SearchSortedOp<Right>> {
  template <ExprLike A, class V>
  static constexpr auto apply(ir::Builder& b, const A& sorted, const V& values) {
    using S = shape_of_operand<V>;
    constexpr bool ok = detail::search_rule<typename A::shape, S>::ok;
    static_assert(sizeof(SequencesFit<ok, SearchSortedOp, typename A::shape, S>) > 0);
    using T0 = common<A, V>;
    using T = ctype<ir::reduction_dtype(dtype_of<T0>)>;
    const ir::Value line = detail::as_value<T>(b, sorted), x = detail::as_value<T>(b, values);
    if constexpr (!ok)
      return detail::refused<i64, S>(sorted);
    else if constexpr (A::rank == 1)
      return Expr<i64, S>{
          ir::reshape(ir::searchsorted(line, ir::reshape(x, Shape<S::size>::value), Right), S::value)};
    else
      return Expr<i64, S>{ir::searchsorted(line, x, Right)};
  }
};

// argsort<axis>(x), sort<axis>(x): ascending; with `descending`, the other way round. The axis is the last
// one unless named.
template <int Axis = -1, class X>
constexpr auto argsort(const X& x) {
  return ArgSortOp<Axis, false, -1>{}(x);
}
template <int Axis = -1, class X>
constexpr auto argsort(const X& x, Descending) {
  return ArgSortOp<Axis, true, -1>{}(x);
}
template <int Axis = -1, class X>
constexpr auto sort(const X& x) {
  return std::tuple{SortedOp<Axis, false, -1>{}(x), ArgSortOp<Axis, false, -1>{}(x)};
}
template <int Axis = -1, class X>
constexpr auto sort(const X& x, Descending) {
  return std::tuple{SortedOp<Axis, true, -1>{}(x), ArgSortOp<Axis, true, -1>{}(x)};
}
// msort(x): the values alone, along the first axis.
template <class X>
constexpr auto msort(const X& x) {
  return SortedOp<0, false, -1>{}(x);
}
// topk<k, axis>(x): the k greatest, the greatest first; with `smallest`, the k least.
template <i64 K, int Axis = -1, class X>
constexpr auto topk(const X& x) {
  return std::tuple{SortedOp<Axis, true, K>{}(x), ArgSortOp<Axis, true, K>{}(x)};
}
template <i64 K, int Axis = -1, class X>
constexpr auto topk(const X& x, Smallest) {
  return std::tuple{SortedOp<Axis, false, K>{}(x), ArgSortOp<Axis, false, K>{}(x)};
}
// kthvalue<k, axis>(x): the k-th smallest, counted from 1.
template <i64 K, int Axis = -1, class X>
constexpr auto kthvalue(const X& x) {
  return std::tuple{KthValueOp<K, false, false, Axis>{}(x), KthValueOp<K, true, false, Axis>{}(x)};
}
template <i64 K, int Axis = -1, class X>
constexpr auto kthvalue(const X& x, KeepDim) {
  return std::tuple{KthValueOp<K, false, true, Axis>{}(x), KthValueOp<K, true, true, Axis>{}(x)};
}
namespace detail {
template <bool SkipNan, bool Keep, int... A, class X>
constexpr auto median_of(const X& x) {
  if constexpr (sizeof...(A) == 0)
    return MedianOp<false, SkipNan, Keep>{}(x);
  else
    return std::tuple{MedianOp<false, SkipNan, Keep, A...>{}(x), MedianOp<true, SkipNan, Keep, A...>{}(x)};
}
}  // namespace detail

// median(x) of all; median<axis>(x): a tuple of values and places. nanmedian skips NaN.
template <AxisIndex... A, class X>
constexpr auto median(const X& x) {
  return detail::median_of<false, false, A...>(x);
}
template <AxisIndex... A, class X>
constexpr auto median(const X& x, KeepDim) {
  return detail::median_of<false, true, A...>(x);
}
template <AxisIndex... A, class X>
constexpr auto nanmedian(const X& x) {
  return detail::median_of<true, false, A...>(x);
}
template <AxisIndex... A, class X>
constexpr auto nanmedian(const X& x, KeepDim) {
  return detail::median_of<true, true, A...>(x);
}
// quantile(x, q) of all, quantile<axis>(x, q): q in [0, 1] is a number.
template <AxisIndex... A, class X, class Q>
constexpr auto quantile(const X& x, const Q& q) {
  return QuantileOp<false, false, A...>{}(x, detail::checked_in(q, 0, 1, detail::share_text));
}
template <AxisIndex... A, class X, class Q>
constexpr auto quantile(const X& x, const Q& q, KeepDim) {
  return QuantileOp<false, true, A...>{}(x, detail::checked_in(q, 0, 1, detail::share_text));
}
template <AxisIndex... A, class X, class Q>
constexpr auto nanquantile(const X& x, const Q& q) {
  return QuantileOp<true, false, A...>{}(x, detail::checked_in(q, 0, 1, detail::share_text));
}
template <AxisIndex... A, class X, class Q>
constexpr auto nanquantile(const X& x, const Q& q, KeepDim) {
  return QuantileOp<true, true, A...>{}(x, detail::checked_in(q, 0, 1, detail::share_text));
}
// searchsorted(sorted, values): where each value would be put in front of its equals; with `right_side`,
// behind them. bucketize(values, boundaries) is the same with operands swapped.
template <class A, class V>
constexpr auto searchsorted(const A& sorted, const V& values) {
  return SearchSortedOp<false>{}(sorted, values);
}
template <class A, class V>
constexpr auto searchsorted(const A& sorted, const V& values, RightSide) {
  return SearchSortedOp<true>{}(sorted, values);
}
template <class V, class A>
constexpr auto bucketize(const V& values, const A& boundaries) {
  return SearchSortedOp<false>{}(boundaries, values);
}
template <class V, class A>
constexpr auto bucketize(const V& values, const A& boundaries, RightSide) {
  return SearchSortedOp<true>{}(boundaries, values);
}

}  // namespace WEFT_NAMESPACE
