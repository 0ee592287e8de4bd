#pragma once
// torch.linalg.vector_norm of every order and torch.linalg.matrix_norm of those that need no singular values.

#include "weft/ops/core/number_range.hpp"
#include "weft/ops/reduce/composed.hpp"

namespace WEFT_NAMESPACE {

// The least: ord=-inf.
inline constexpr OrderOf<std::numeric_limits<int>::min()> order_minus_infinity{};
// The root of the sum of squares, of matrix_norm.
struct Frobenius {};
inline constexpr Frobenius frobenius{};

WEFT_REFUSAL(MatrixNormOrder,
             "matrix_norm has the orders frobenius, order<1>, order<-1>, order_infinity and "
             "order_minus_infinity: those of singular values (2, -2, nuclear) need a decomposition");
WEFT_REFUSAL(MatrixAxes, "matrix_norm takes two different axes of the tensor");
WEFT_REFUSAL(RenormAxis, "renorm takes a tensor of two axes or more, and one of them");

// (sum |x|^p)^(1/p) of a number p that is neither 0 nor infinite.
template <bool Keep, int... A>
struct VectorNormOp : Operation<VectorNormOp<Keep, A...>> {
  template <ExprLike X, class P>
  static constexpr auto apply(ir::Builder& b, const X& in, const P& p) {
    const auto x = CastOp<opmath<typename X::dtype>>::apply(b, in);
    using T = typename decltype(x)::dtype;
    const Expr<T, Shape<>> order{detail::as_value<T>(b, p)};
    const auto total = ReduceOp<ir::Op::reduce_sum, Keep, A...>::apply(b, detail::norm_terms(x, order));
    return CastOp<floating<typename X::dtype>>::apply(b, detail::norm_root(total, div(1, order)));
  }
};
// The least magnitude.
template <bool Keep, int... A>
struct LeastNormOp : Operation<LeastNormOp<Keep, A...>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& in) {
    const auto x = CastOp<floating<typename X::dtype>>::apply(b, in);
    return ReduceOp<ir::Op::reduce_min, Keep, A...>::apply(b, abs(x));
  }
};

namespace detail {

template <bool Keep, int... A, class X, int P>
constexpr auto vector_norm_of(const X& x, OrderOf<P>) {
  if constexpr (P == std::numeric_limits<int>::min())
    return LeastNormOp<Keep, A...>{}(x);
  else
    return NormOp<P, Keep, A...>{}(x);
}
template <bool Keep, int... A, class X, class P>
requires Operand<P>
constexpr auto vector_norm_of(const X& x, const P& p) { return VectorNormOp<Keep, A...>{}(x, p); }

}  // namespace detail

// Sums of magnitudes along one axis of a matrix, then the greatest (or the least) of them along the other.
template <int P, bool Keep, int A, int B>
struct MatrixNormOp : Operation<MatrixNormOp<P, Keep, A, B>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& in) {
    constexpr bool axes = axis_in_range(A, X::rank) && axis_in_range(B, X::rank) &&
                          normalize_axis(A, X::rank) != normalize_axis(B, X::rank);
    static_assert(sizeof(MatrixAxes<axes, MatrixNormOp, typename X::shape>) > 0);
    constexpr bool infinite = P == std::numeric_limits<int>::max() || P == std::numeric_limits<int>::min();
    static_assert(sizeof(MatrixNormOrder < infinite || P == 1 || P == -1, MatrixNormOp, OrderOf < P >>) > 0);
    if constexpr (axes) {
      const auto x = CastOp<opmath<typename X::dtype>>::apply(b, in);
      const auto sums = ReduceOp<ir::Op::reduce_sum, true, (infinite ? B : A)>::apply(b, abs(x));
      constexpr ir::Op fold = P > 0 ? ir::Op::reduce_max : ir::Op::reduce_min;
      const auto r = ReduceOp<fold, true, (infinite ? A : B)>::apply(b, sums);
      using S = shape_of<detail::reduced_rule<typename X::shape, Keep, A, B>>;
      return CastOp<floating<typename X::dtype>>::apply(
          b, Expr<typename decltype(r)::dtype, S>{ir::reshape(r.value, S::value)});
    } else {
      return detail::real(in);
    }
  }
};

// Slices along A whose norm of order P is above a bound are scaled down to it.
template <int A, int P>
struct RenormOp : Operation<RenormOp<A, P>> {
  template <ExprLike X, class Bound>
  static constexpr auto apply(ir::Builder& b, const X& in, const Bound& bound) {
    constexpr bool axis = X::rank > 1 && axis_in_range(A, X::rank);
    static_assert(sizeof(RenormAxis<axis, RenormOp, typename X::shape>) > 0);
    if constexpr (axis) {
      const auto x = CastOp<opmath<typename X::dtype>>::apply(b, in);
      using T = typename decltype(x)::dtype;
      const auto length = [&]<int... K>(std::integer_sequence<int, K...>) {
        return NormOp<P, true, (K + (K >= normalize_axis(A, X::rank)))...>::apply(b, x);
      }
      (std::make_integer_sequence<int, X::rank - 1>{});
      if (!detail::lies_in(bound, 0, detail::unlimited))
        return detail::without_value<X>(b, ir::Valueless::no_scale);
      const Expr<T, Shape<>> most{detail::as_value<T>(b, bound)};
      const auto over = gt(length, most);  // elsewhere the length has no part, be it NaN
      const auto factor = where(over, div(most, where(over, length, 1) + 1e-7), 1);
      return CastOp<typename X::dtype>::apply(b, x * factor);
    } else {
      return in;
    }
  }
};

// vector_norm<axes...>(x), vector_norm<axes...>(x, order<1>), vector_norm(x, 2.5): a number is any order but
// 0 and infinity; of all elements where no axis is named.
template <AxisIndex... A, class X>
constexpr auto vector_norm(const X& x) {
  return NormOp<2, false, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto vector_norm(const X& x, KeepDim) {
  return NormOp<2, true, A...>{}(x);
}
template <AxisIndex... A, class X, class P>
constexpr auto vector_norm(const X& x, const P& p) {
  return detail::vector_norm_of<false, A...>(x, p);
}
template <AxisIndex... A, class X, class P>
constexpr auto vector_norm(const X& x, const P& p, KeepDim) {
  return detail::vector_norm_of<true, A...>(x, p);
}
// matrix_norm(x), matrix_norm(x, order<1>), matrix_norm<0, 1>(x, order_infinity, keepdim): of the last two
// axes unless two are named.
template <int A = -2, int B = -1, class X>
constexpr auto matrix_norm(const X& x) {
  return NormOp<2, false, A, B>{}(x);
}
template <int A = -2, int B = -1, class X>
constexpr auto matrix_norm(const X& x, KeepDim) {
  return NormOp<2, true, A, B>{}(x);
}
template <int A = -2, int B = -1, class X>
constexpr auto matrix_norm(const X& x, Frobenius) {
  return NormOp<2, false, A, B>{}(x);
}
template <int A = -2, int B = -1, class X>
constexpr auto matrix_norm(const X& x, Frobenius, KeepDim) {
  return NormOp<2, true, A, B>{}(x);
}
template <int A = -2, int B = -1, class X, int P>
constexpr auto matrix_norm(const X& x, OrderOf<P>) {
  return MatrixNormOp<P, false, A, B>{}(x);
}
template <int A = -2, int B = -1, class X, int P>
constexpr auto matrix_norm(const X& x, OrderOf<P>, KeepDim) {
  return MatrixNormOp<P, true, A, B>{}(x);
}
// renorm<axis>(x, bound), renorm<axis>(x, order<1>, bound): torch.renorm(x, p, axis, bound).
template <int A, class X>
constexpr auto renorm(const X& x, double bound) {
  return RenormOp<A, 2>{}(x, detail::checked_in(bound, 0, detail::unlimited, detail::scale_text));
}
template <int A, class X, int P>
constexpr auto renorm(const X& x, OrderOf<P>, double bound) {
  return RenormOp<A, P>{}(x, detail::checked_in(bound, 0, detail::unlimited, detail::scale_text));
}

}  // namespace WEFT_NAMESPACE
