#pragma once
// Reductions composed of others: stddev, any, all, logsumexp, norm, count_nonzero, with axes as template
// arguments and `keepdim` as in reduce.hpp. (PyTorch's `std` is called stddev: in C++ that name is a
// namespace.) Computed in f32 and rounded once where elements are smaller.

#include "weft/ops/math/composed.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

// A root with gradient 0 at 0, as PyTorch's norms and standard deviations have.
template <class X, class F>
constexpr auto safe_root(const X& x, const F& root) {
  const auto zero = eq(x, 0);
  return where(zero, 0, root(where(zero, 1, x)));
}
// |x|^p, and the root of their sum: their derivatives are 0 at elements of 0 and at a norm of 0, as
// PyTorch's.
template <class X, class P>
constexpr auto norm_terms(const X& x, const P& p) {
  const auto none = eq(x, 0);
  const auto size = abs(x);
  return where(none, pow(stop_gradient(size), p), pow(where(none, 1, size), p));
}
template <class X, class P>
constexpr auto norm_root(const X& sum, const P& p) {
  const auto none = eq(pow(stop_gradient(sum), p), 0);
  return where(none, 0, pow(where(none, 1, sum), p));
}
template <class X>
constexpr auto safe_sqrt(const X& x) {
  return safe_root(x, [](const auto& v) { return sqrt(v); });
}

}  // namespace detail

template <bool Keep, int C, int... A>
struct StdDevOp : Operation<StdDevOp<Keep, C, A...>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    const auto wide = CastOp<opmath<typename X::dtype>>::apply(b, x);
    return CastOp<floating<typename X::dtype>>::apply(
        b, detail::safe_sqrt(VarianceOp<Keep, C, A...>::apply(b, wide)));
  }
};

// Whether any, or every, element is not zero.
template <bool All, bool Keep, int... A>
struct AnyAllOp : Operation<AnyAllOp<All, Keep, A...>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    constexpr ir::Op op = All ? ir::Op::reduce_min : ir::Op::reduce_max;
    const auto r = ne(ReduceOp<op, Keep, A...>::of_any(b, cast<i32>(ne(x, 0))), 0);
    using R = std::remove_cvref_t<decltype(r)>;
    if constexpr (detail::axes_rule<typename X::shape, A...>::has_elements())
      return r;
    else
      return R{ir::constant_like(r.value, All ? 1 : 0)};
  }
};

template <bool Keep, int... A>
struct CountNonzeroOp : Operation<CountNonzeroOp<Keep, A...>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    return ReduceOp<ir::Op::reduce_sum, Keep, A...>::apply(b, ne(x, 0));
  }
};

// log(sum(exp(x))), shifted by the greatest element where that is finite.
template <bool Keep, int... A>
struct LogSumExpOp : Operation<LogSumExpOp<Keep, A...>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& in) {
    const auto x = CastOp<opmath<typename X::dtype>>::apply(b, in);
    const auto top = stop_gradient(ReduceOp<ir::Op::reduce_max, true, A...>::of_any(b, x));
    const auto shift = where(isfinite(top), top, 0);
    const auto r = add(log(ReduceOp<ir::Op::reduce_sum, true, A...>::apply(b, exp(sub(x, shift)))), shift);
    using S = shape_of<detail::reduced_rule<typename X::shape, Keep, A...>>;
    return CastOp<floating<typename X::dtype>>::apply(
        b, Expr<typename decltype(r)::dtype, S>{ir::reshape(r.value, S::value)});
  }
};

WEFT_REFUSAL(
    NormIsOfAxes,
    "what stands in <> of norm are axes, and the value has none of this number: the norm of order 2 of all "
    "elements is norm<>(x), along an axis norm<1>(x), and another order a word behind the operand, norm<>(x, "
    "order<1>)");
// (sum |x|^p)^(1/p); p = 0 counts, p = infinity takes the greatest.
template <int P, bool Keep, int... A>
struct NormOp : Operation<NormOp<P, Keep, A...>> {
  using means_parameters = void;  // where a model is given
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& in) {
    constexpr bool inside = (axis_in_range(A, X::rank) && ... && true);
    static_assert(sizeof(NormIsOfAxes<inside, NormOp, typename X::shape>) > 0);
    const auto x = CastOp<opmath<typename X::dtype>>::apply(b, in);
    return CastOp<floating<typename X::dtype>>::apply(b, of(b, x));
  }

 private:
  template <class X>
  static constexpr auto of(ir::Builder& b, const X& x) {
    if constexpr (P == 0)
      return cast<typename X::dtype>(ReduceOp<ir::Op::reduce_sum, Keep, A...>::apply(b, ne(x, 0)));
    else if constexpr (P == 1)
      return ReduceOp<ir::Op::reduce_sum, Keep, A...>::apply(b, abs(x));
    else if constexpr (P == 2)
      return detail::safe_sqrt(ReduceOp<ir::Op::reduce_sum, Keep, A...>::apply(b, mul(x, x)));
    else if constexpr (P == std::numeric_limits<int>::max())
      return ReduceOp<ir::Op::reduce_max, Keep, A...>::apply(b, abs(x));
    else
      return detail::norm_root(ReduceOp<ir::Op::reduce_sum, Keep, A...>::apply(b, detail::norm_terms(x, P)),
                               1.0 / P);
  }
};

// Which norm: norm<-1>(x, order<1>), norm<>(x, order_infinity); the Euclidean one without.
template <int P>
struct OrderOf {};
template <int P>
inline constexpr OrderOf<P> order{};
inline constexpr OrderOf<std::numeric_limits<int>::max()> order_infinity{};

// The options are those of var.
template <AxisIndex... A, class X, class... Option>
constexpr auto stddev(const X& x, const Option&...) {
  using Given = detail::SpreadOptions<Option...>;
  return StdDevOp<Given::keep, Given::correction, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto amax(const X& x) {
  return ReduceOp<ir::Op::reduce_max, false, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto amax(const X& x, KeepDim) {
  return ReduceOp<ir::Op::reduce_max, true, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto amin(const X& x) {
  return ReduceOp<ir::Op::reduce_min, false, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto amin(const X& x, KeepDim) {
  return ReduceOp<ir::Op::reduce_min, true, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto any(const X& x) {
  return AnyAllOp<false, false, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto any(const X& x, KeepDim) {
  return AnyAllOp<false, true, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto all(const X& x) {
  return AnyAllOp<true, false, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto all(const X& x, KeepDim) {
  return AnyAllOp<true, true, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto count_nonzero(const X& x) {
  return CountNonzeroOp<false, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto logsumexp(const X& x) {
  return LogSumExpOp<false, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto logsumexp(const X& x, KeepDim) {
  return LogSumExpOp<true, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto norm(const X& x) {
  return NormOp<2, false, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto norm(const X& x, KeepDim) {
  return NormOp<2, true, A...>{}(x);
}
template <AxisIndex... A, class X, int P>
constexpr auto norm(const X& x, OrderOf<P>) {
  return NormOp<P, false, A...>{}(x);
}
template <AxisIndex... A, class X, int P>
constexpr auto norm(const X& x, OrderOf<P>, KeepDim) {
  return NormOp<P, true, A...>{}(x);
}

}  // namespace WEFT_NAMESPACE
