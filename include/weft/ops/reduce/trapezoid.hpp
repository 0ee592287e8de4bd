#pragma once
// Integrals by the trapezoidal rule and derivatives by differences: torch.trapezoid, cumulative_trapezoid,
// gradient.

#include "weft/ops/math/composed.hpp"
#include "weft/ops/reduce/scan.hpp"
#include "weft/ops/shape/concat.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(PlacesFitAxis,
             "a vector of the samples' places must be as long as the axis that they lie along");
WEFT_REFUSAL(SamplesSuffice,
             "gradient: the axis must exist and have more samples than the order of its edges, 1 or 2");
WEFT_REFUSAL(SpacingsFit,
             "gradient takes no spacing, one number for all axes, or a number or a vector for each");

// The order of the differences at both ends of an axis: gradient(x, edge_order<2>).
template <int N>
struct EdgeOrder {};
template <int N>
inline constexpr EdgeOrder<N> edge_order{};

namespace detail {

template <class S, int Axis, i64 N>
struct line_along_rule {
  static constexpr Dims make() {
    Dims r = S::value;
    for (int k = 0; k < r.rank; ++k) r.extent[k] = k == normalize_axis(Axis, S::rank) ? N : 1;
    return r;
  }
  static constexpr Dims value = make();
};

// A vector as it lies along an axis of a tensor of shape S.
template <class S, int Axis, class V>
constexpr auto line_along(const V& v) {
  using R = shape_of<line_along_rule<S, Axis, V::shape::size>>;
  return Expr<typename V::dtype, R>{ir::reshape(v.value, R::value)};
}

// Widths between samples: a number, or the differences of their places.
template <class Op, int Axis, class S, class P>
constexpr auto sample_widths(ir::Builder& b, const P& places) {
  if constexpr (!is_expr<P>) {
    return places;
  } else if constexpr (P::rank == 1) {
    constexpr bool fits = P::shape::size == S::value[Axis];
    static_assert(sizeof(PlacesFitAxis<fits, Op, S, typename P::shape>) > 0);
    if constexpr (fits)
      return line_along<S, Axis>(DiffOp<1, 0>::apply(b, places));
    else
      return 1;
  } else {
    return DiffOp<1, normalize_axis(Axis, S::rank) - S::rank>::apply(b, places);
  }
}

// The dtype of what samples Y at places P give.
template <class Y, class P>
struct samples_dtype {
  using type = floating<typename Y::dtype>;
};
template <class Y, class P>
requires is_expr<P>
struct samples_dtype<Y, P> {
  using type = promoted<floating<typename Y::dtype>, floating<typename P::dtype>>;
};
// Samples or places in the dtype in which they are added up; numbers as they are.
template <class P>
constexpr auto wide_samples(ir::Builder& b, const P& p) {
  if constexpr (is_expr<P>)
    return CastOp<opmath<floating<typename P::dtype>>>::apply(b, p);
  else
    return p;
}

}  // namespace detail

template <bool Cumulative, int Axis>
struct TrapezoidOp : Operation<TrapezoidOp<Cumulative, Axis>> {
  template <ExprLike Y, class P>
  static constexpr auto apply(ir::Builder& b, const Y& in, const P& places) {
    constexpr bool ok = axis_in_range(Axis, Y::rank);
    static_assert(sizeof(AxisInRange<ok, TrapezoidOp, typename Y::shape>) > 0);
    if constexpr (!ok) {
      return detail::real(in);
    } else {
      const auto y = detail::wide_samples(b, in);
      const auto widths =
          detail::sample_widths<TrapezoidOp, Axis, typename Y::shape>(b, detail::wide_samples(b, places));
      const auto pairs =
          add(SliceAxisOp<Axis, 1, to_end, 1>::apply(b, y), SliceAxisOp<Axis, 0, -1, 1>::apply(b, y));
      const auto areas = mul(mul(pairs, widths), 0.5);
      using Areas = std::remove_cvref_t<decltype(areas)>;
      constexpr int axis = normalize_axis(Axis, Y::rank) - Y::rank + Areas::rank;
      using T = typename detail::samples_dtype<Y, P>::type;
      if constexpr (Cumulative)
        return CastOp<T>::apply(b, ScanOp<axis, ir::Fold::sum>::apply(b, areas));
      else
        return CastOp<T>::apply(b, ReduceOp<ir::Op::reduce_sum, false, axis>::apply(b, areas));
    }
  }
};

// The derivative along one axis by central differences; at the ends by differences of the order named.
template <int Order, int Axis>
struct DifferencesOp : Operation<DifferencesOp<Order, Axis>> {
  template <ExprLike X, class P>
  static constexpr auto apply(ir::Builder& b, const X& in, const P& places) {
    constexpr bool ok = axis_in_range(Axis, X::rank) && (Order == 1 || Order == 2) &&
                        X::shape::value[axis_in_range(Axis, X::rank) ? Axis : 0] > Order;
    static_assert(sizeof(SamplesSuffice<ok, DifferencesOp, typename X::shape>) > 0);
    if constexpr (!ok) {
      return detail::real(in);
    } else {
      const auto x = detail::real(in);
      constexpr i64 n = X::shape::value[Axis];
      const auto widths = detail::sample_widths<DifferencesOp, Axis, typename X::shape>(b, places);
      const auto at = [&]<i64 Begin, i64 End>(std::integer_sequence<i64, Begin, End>, const auto& v) {
        if constexpr (is_expr<std::remove_cvref_t<decltype(v)>>)
          return SliceAxisOp<Axis, Begin, End, 1>::apply(b, v);
        else
          return v;
      };
      const auto part = [&]<i64 Begin, i64 End>(std::integer_sequence<i64, Begin, End> range) {
        return at(range, x);
      };
      using std::integer_sequence;
      const auto first = part(integer_sequence<i64, 0, 1>{});
      const auto second = part(integer_sequence<i64, 1, 2>{});
      const auto last = part(integer_sequence<i64, n - 1, n>{});
      const auto before = part(integer_sequence<i64, n - 2, n - 1>{});
      // the widths at both ends, and those on the left and on the right of each inner sample
      const auto w0 = at(integer_sequence<i64, 0, 1>{}, widths);
      const auto wn = at(integer_sequence<i64, n - 2, n - 1>{}, widths);
      const auto low = [&] {
        if constexpr (Order == 1) {
          return div(sub(second, first), w0);
        } else {
          const auto w1 = at(integer_sequence<i64, 1, 2>{}, widths);
          return edge(first, second, part(integer_sequence<i64, 2, 3>{}), w0, w1);
        }
      }();
      const auto high = [&] {
        if constexpr (Order == 1) {
          return div(sub(last, before), wn);
        } else {
          const auto w1 = at(integer_sequence<i64, n - 3, n - 2>{}, widths);
          return neg(edge(last, before, part(integer_sequence<i64, n - 3, n - 2>{}), wn, w1));
        }
      }();
      if constexpr (n == 2) {
        return CatOp<Axis>::apply(b, low, high);
      } else {
        const auto left = part(integer_sequence<i64, 0, n - 2>{}),
                   right = part(integer_sequence<i64, 2, n>{});
        const auto inner = [&] {
          if constexpr (is_expr<std::remove_cvref_t<decltype(widths)>>) {
            const auto l = at(integer_sequence<i64, 0, n - 2>{}, widths);
            const auto r = at(integer_sequence<i64, 1, n - 1>{}, widths);
            const auto both = add(l, r);
            const auto centre = part(integer_sequence<i64, 1, n - 1>{});
            return add(add(mul(left, div(neg(r), mul(l, both))), mul(centre, div(sub(r, l), mul(l, r)))),
                       mul(right, div(l, mul(r, both))));
          } else {
            return div(sub(right, left), mul(const_like(x, widths), 2));
          }
        }();
        return CatOp<Axis>::apply(b, low, inner, high);
      }
    }
  }

 private:
  // A number as an expression: two of them alone are no operation.
  template <class X, class W>
  static constexpr auto const_like(const X& x, const W& w) {
    using T = typename X::dtype;
    return Expr<T, Shape<>>{detail::as_value<T>(*x.value.builder, w)};
  }
  // The derivative at the first of three samples, w and v apart.
  template <class A, class B, class C, class W, class V>
  static constexpr auto edge(const A& a, const B& b, const C& c, const W& w0, const V& v0) {
    const auto expression = [&](const auto& w) {
      if constexpr (is_expr<std::remove_cvref_t<decltype(w)>>)
        return w;
      else
        return const_like(a, w);
    };
    const auto w = expression(w0);
    const auto v = expression(v0);
    const auto both = add(w, v);
    return sub(sub(mul(b, div(both, mul(w, v))), mul(a, div(add(both, w), mul(w, both)))),
               mul(c, div(w, mul(v, both))));
  }
};

namespace detail {

template <int Order, int... A, class X, class... P>
constexpr auto gradient_along(std::integer_sequence<int, A...>, const X& x, const P&... spacing) {
  constexpr bool fits = sizeof...(P) <= 1 || sizeof...(P) == sizeof...(A);
  static_assert(sizeof(SpacingsFit<fits, P...>) > 0);
  const auto all = [&](const auto& one) { return std::tuple{DifferencesOp<Order, A>{}(x, one)...}; };
  if constexpr (sizeof...(P) == 1)
    return all(spacing...);
  else if constexpr (sizeof...(P) == 0 || !fits)
    return all(1);
  else
    return std::tuple{DifferencesOp<Order, A>{}(x, spacing)...};
}

template <int Order, int... A, class X, class P, std::size_t... K>
constexpr auto gradient_from(std::integer_sequence<int, A...> axes, std::index_sequence<K...>, const X& x,
                             const P& spacing) {
  return gradient_along<Order>(axes, x, std::get<K>(spacing)...);
}
template <class P>
constexpr auto spacing_in(const P& p) {
  return std::tuple<P>{p};
}
template <int N>
constexpr auto spacing_in(EdgeOrder<N>) {
  return std::tuple<>{};
}
template <class P>
inline constexpr int edge_order_in = 0;
template <int N>
inline constexpr int edge_order_in<EdgeOrder<N>> = N;

}  // namespace detail

// trapezoid<axis>(y): samples at a distance of 1; trapezoid<axis>(y, 0.5), trapezoid<axis>(y, x): at another,
// or at places x, a vector or as large as y. The last axis unless one is named.
template <int Axis = -1, class Y, class P = int>
constexpr auto trapezoid(const Y& y, const P& places = 1) {
  return TrapezoidOp<false, Axis>{}(y, places);
}
template <int Axis = -1, class Y, class P = int>
constexpr auto cumulative_trapezoid(const Y& y, const P& places = 1) {
  return TrapezoidOp<true, Axis>{}(y, places);
}
// gradient<axes...>(x): a tuple, the derivative along each axis, of all where none is named. Behind x one
// spacing, a number or a vector of places, or one for each axis; then edge_order<2>, if any.
template <int... A, class X, class... P>
constexpr auto gradient(const X& x, const P&... spacing) {
  constexpr int order = (detail::edge_order_in<P> + ... + 0);
  using S = decltype(detail::shape_in_type<X>());
  const auto given = std::tuple_cat(detail::spacing_in(spacing)...);
  constexpr auto numbers =
      std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(given)>>>{};
  if constexpr (sizeof...(A) == 0)
    return detail::gradient_from < order == 0
               ? 1
               : order > (std::make_integer_sequence<int, S::rank>{}, numbers, x, given);
  else
    return detail::gradient_from < order == 0
               ? 1
               : order > (std::integer_sequence<int, A...>{}, numbers, x, given);
}

}  // namespace WEFT_NAMESPACE
