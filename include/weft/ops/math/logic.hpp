#pragma once
// Truth and closeness, composed of primitives: what is not zero is true.

#include "weft/ops/core/written.hpp"
#include "weft/ops/math/composed.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

// Whether x is the infinity of this sign; f8e4m3 has none, and a number that large would become a finite one.
template <class X>
constexpr auto is_infinity(const X& x, int sign) {
  if constexpr (std::is_same_v<dtype_of_operand<X>, f8e4m3>)
    return lt(x, x);
  else
    return eq(x, sign * std::numeric_limits<double>::infinity());
}
template <int Sign>
struct InfinityF {
  constexpr auto operator()(const auto& x) const { return is_infinity(real(x), Sign); }
};
struct IsinfF {
  constexpr auto operator()(const auto& x) const { return is_infinity(abs(real(x)), 1); }
};
struct IsCloseF {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b, const auto& rtol, const auto& atol) const {
    if constexpr (is_number<A>)
      return (*this)(number_as_value(a, b), b, rtol, atol);
    else if constexpr (is_number<B>)
      return (*this)(a, number_as_value(b, a), rtol, atol);
    else
      return of_tensors(a, b, rtol, atol);
  }
  static constexpr auto of_tensors(const auto& a, const auto& b, const auto& rtol, const auto& atol) {
    const auto distance = [&] {
      if constexpr (std::is_same_v<common<std::remove_cvref_t<decltype(a)>, std::remove_cvref_t<decltype(b)>>,
                                   bool>)
        return cast<f32>(ne(a, b));
      else
        return abs(sub(real(a), real(b)));
    }();
    const auto near = le(distance, add(mul(abs(real(b)), rtol), atol));
    return bitwise_or(eq(a, b), bitwise_and(near, isfinite(b)));
  }
};
WEFT_REFUSAL(MaskIsSecond,
             "masked_fill(x, mask, value): the mask is the second argument, and of bool: write "
             "masked_fill(x, x < 0, 0), masked_fill(x, mask != 0, 0)");
struct MaskedFillF {
  constexpr auto operator()(const auto& x, const auto& mask, const auto& value) const {
    using M = dtype_of_operand<std::remove_cvref_t<decltype(mask)>>;
    static_assert(sizeof(MaskIsSecond<std::is_same_v<M, bool>, MaskedFillF, M>) > 0);
    using T = dtype_of_operand<std::remove_cvref_t<decltype(x)>>;
    using V = std::remove_cvref_t<decltype(value)>;
    static_assert(sizeof(FractionsAreKept<!is_cut<V, T>, MaskedFillF, V, T>) > 0);
    if constexpr (Scalar<V> && ExprLike<std::remove_cvref_t<decltype(x)>>)
      return where(mask, Expr<T, Shape<>>{written<MaskedFillF, T>(*x.value.builder, value)}, x);
    else
      return cast<T>(where(mask, value, x));
  }
};
struct LogicalAndF {
  constexpr auto operator()(const auto& a, const auto& b) const { return bitwise_and(ne(a, 0), ne(b, 0)); }
};
struct LogicalOrF {
  constexpr auto operator()(const auto& a, const auto& b) const { return bitwise_or(ne(a, 0), ne(b, 0)); }
};
struct LogicalXorF {
  constexpr auto operator()(const auto& a, const auto& b) const { return ne(ne(a, 0), ne(b, 0)); }
};

}  // namespace detail

template <class X>
requires SomeOperands<X>
constexpr auto isinf(const X& x) { return detail::Composed<detail::IsinfF>{}(x); }
// |a - b| <= atol + rtol |b|; NaN is close to nothing.
template <class A, class B, class R = double, class T = double>
requires SomeOperands<A, B>
constexpr auto isclose(const A& a, const B& b, const R& rtol = 1e-5, const T& atol = 1e-8) {
  return detail::Composed<detail::IsCloseF>{}(a, b, rtol, atol);
}
// x with `v` where the mask is true; x keeps its dtype.
template <class X, class Mask, class V>
requires SomeOperands<X, Mask, V>
constexpr auto masked_fill(const X& x, const Mask& mask, const V& v) {
  return detail::Composed<detail::MaskedFillF>{}(x, mask, detail::fitting<detail::dtype_in_type<X>>(v));
}
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto logical_and(const A& a, const B& b) { return detail::Composed<detail::LogicalAndF>{}(a, b); }
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto logical_or(const A& a, const B& b) { return detail::Composed<detail::LogicalOrF>{}(a, b); }
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto logical_xor(const A& a, const B& b) { return detail::Composed<detail::LogicalXorF>{}(a, b); }

}  // namespace WEFT_NAMESPACE
