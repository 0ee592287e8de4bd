#pragma once
// Pointwise operations composed of primitives, with PyTorch's names and semantics. A formula is chosen so
// that its gradient is right, too: where one branch overflows, its operand is made harmless first.

#include <limits>

#include "weft/ops/pointwise.hpp"

namespace weft {

// Operands of which one at least is no C++ number: such calls are left to <cmath>.
template <class... A>
concept SomeOperands = (Operand<A> && ...) && !(Scalar<A> && ...);

namespace detail {

// An operation written as a function of expressions: `F{}(builder, operands...)`.
template <class F>
struct Composed : Operation<Composed<F>> {
  template <class... A>
  static constexpr auto apply(ir::Builder&, const A&... a) {
    return F{}(a...);
  }
};

// x as a tensor of floating type; numbers stay.
template <class X>
constexpr auto real(const X& x) {
  if constexpr (is_expr<X>)
    return cast<floating<dtype_of_operand<X>>>(x);
  else
    return x;
}

// F on small floating types: computed in f32 and rounded once, as PyTorch does. For formulas that cancel.
template <class F>
struct InSingle {
  template <class... A>
  constexpr auto operator()(const A&... a) const {
    using T = typename decltype(F{}(a...))::dtype;
    if constexpr (is_float(dtype_of<T>) && size_of(dtype_of<T>) < 4)
      return cast<T>(F{}(wide(a)...));
    else
      return F{}(a...);
  }
  template <class X>
  static constexpr auto wide(const X& x) {
    if constexpr (is_expr<X>)
      return cast<f32>(x);
    else
      return x;
  }
};

// Selections, not min and max: at the bounds PyTorch's gradient is 0, and NaN stays.
struct ClampMinF {
  constexpr auto operator()(const auto& x, const auto& low) const { return where(le(x, low), low, x); }
};
struct ClampMaxF {
  constexpr auto operator()(const auto& x, const auto& high) const { return where(ge(x, high), high, x); }
};
struct ClampF {
  constexpr auto operator()(const auto& x, const auto& low, const auto& high) const {
    return ClampMaxF{}(ClampMinF{}(x, low), high);
  }
};
// From the nearer end, so that both ends come out exactly.
struct LerpF {
  constexpr auto operator()(const auto& a, const auto& b, const auto& w) const {
    const auto way = sub(b, a);
    if constexpr (Scalar<std::remove_cvref_t<decltype(w)>>)
      return w < 0.5 && w > -0.5 ? add(a, mul(way, w)) : sub(b, mul(way, 1 - w));
    else
      return where(lt(abs(w), 0.5), add(a, mul(w, way)), sub(b, mul(way, sub(1, w))));
  }
};
struct SquareF {
  constexpr auto operator()(const auto& x) const { return mul(x, x); }
};
struct ReciprocalF {
  constexpr auto operator()(const auto& x) const { return div(1, x); }
};
struct Exp2F {
  constexpr auto operator()(const auto& x) const { return pow(2.0f, real(x)); }
};
struct Log2F {
  constexpr auto operator()(const auto& x) const { return mul(log(x), 1.4426950408889634); }
};
struct Log10F {
  constexpr auto operator()(const auto& x) const { return mul(log(x), 0.4342944819032518); }
};
// sign(x) log1p(|x| + x^2 / (1 + sqrt(x^2 + 1)))
struct AsinhF {
  constexpr auto operator()(const auto& in) const {
    const auto x = real(in), a = abs(x), s = mul(x, x);
    return mul(sign(x), log1p(add(a, div(s, add(sqrt(add(s, 1)), 1)))));
  }
};
// log1p(t + sqrt(t (t + 2))), t = x - 1
struct AcoshF {
  constexpr auto operator()(const auto& in) const {
    const auto s = sub(real(in), 1);
    return log1p(add(s, sqrt(mul(s, add(s, 2)))));
  }
};
struct AtanhF {
  constexpr auto operator()(const auto& in) const {
    const auto x = real(in);
    return mul(sub(log1p(x), log1p(neg(x))), 0.5);
  }
};
struct ErfcF {
  constexpr auto operator()(const auto& x) const { return sub(1, erf(x)); }
};
struct LogitF {
  constexpr auto operator()(const auto& in) const {
    const auto x = real(in);
    return sub(log(x), log1p(neg(x)));
  }
};
// Scaled by the larger operand, so that squares neither overflow nor vanish.
struct HypotF {
  constexpr auto operator()(const auto& a, const auto& b) const {
    const auto scale = stop_gradient(real(maximum(abs(a), abs(b))));
    const auto plain = bitwise_and(ne(scale, 0), isfinite(scale));
    const auto safe = where(plain, scale, 1);
    const auto p = div(a, safe), q = div(b, safe);
    return where(plain, mul(safe, sqrt(add(mul(p, p), mul(q, q)))), scale);
  }
};
// The remainder with the divisor's sign, as Python's %.
struct RemainderF {
  constexpr auto operator()(const auto& a, const auto& b) const {
    const auto r = fmod(a, b);
    return where(bitwise_and(ne(r, 0), ne(lt(r, 0), lt(b, 0))), add(r, b), r);
  }
};
struct FloorDivideF {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const {
    if constexpr (is_float(dtype_of<common<A, B>>))
      return floor(div(a, b));
    else
      return BinaryOp<ir::Op::div>{}(sub(a, RemainderF{}(a, b)), b);
  }
};
// log(exp(a) + exp(b))
struct LogAddExpF {
  constexpr auto operator()(const auto& a, const auto& b) const {
    const auto top = maximum(real(a), real(b)), distance = abs(sub(real(a), real(b)));
    const auto safe = where(isfinite(distance), distance, 0);
    return add(top, where(isfinite(distance), log1p(exp(neg(safe))), 0));
  }
};
struct FracF {
  constexpr auto operator()(const auto& x) const { return sub(x, trunc(x)); }
};
struct CopysignF {
  constexpr auto operator()(const auto& a, const auto& b) const {
    const auto m = abs(real(a));
    if constexpr (Scalar<std::remove_cvref_t<decltype(b)>>)
      return b < 0 || (b == 0 && 1 / static_cast<double>(b) < 0) ? neg(m) : m;
    else
      return where(signbit(b), neg(m), m);
  }
};
struct AddcmulF {
  constexpr auto operator()(const auto& x, const auto& a, const auto& b, const auto& scale) const {
    return add(x, mul(mul(a, b), scale));
  }
};
struct AddcdivF {
  constexpr auto operator()(const auto& x, const auto& a, const auto& b, const auto& scale) const {
    return add(x, mul(div(a, b), scale));
  }
};

}  // namespace detail

// clamp(x, low, high): bounds are numbers or tensors.
template <class X, class Low, class High>
requires SomeOperands<X, Low, High>
constexpr auto clamp(const X& x, const Low& low, const High& high) {
  return detail::Composed<detail::ClampF>{}(x, low, high);
}
template <class X, class Low>
requires SomeOperands<X, Low>
constexpr auto clamp_min(const X& x, const Low& low) { return detail::Composed<detail::ClampMinF>{}(x, low); }
template <class X, class High>
requires SomeOperands<X, High>
constexpr auto clamp_max(const X& x, const High& high) {
  return detail::Composed<detail::ClampMaxF>{}(x, high);
}
// a + w (b - a)
template <class A, class B, class W>
requires SomeOperands<A, B, W>
constexpr auto lerp(const A& a, const B& b, const W& w) { return detail::Composed<detail::LerpF>{}(a, b, w); }
template <class X>
requires SomeOperands<X>
constexpr auto square(const X& x) { return detail::Composed<detail::SquareF>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto reciprocal(const X& x) { return detail::Composed<detail::ReciprocalF>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto exp2(const X& x) { return detail::Composed<detail::Exp2F>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto log2(const X& x) { return detail::Composed<detail::Log2F>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto log10(const X& x) { return detail::Composed<detail::Log10F>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto asinh(const X& x) { return detail::Composed<detail::InSingle<detail::AsinhF>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto acosh(const X& x) { return detail::Composed<detail::InSingle<detail::AcoshF>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto atanh(const X& x) { return detail::Composed<detail::InSingle<detail::AtanhF>>{}(x); }
// 1 - erf(x): exact to one rounding of 1, not to one of the small result far out.
template <class X>
requires SomeOperands<X>
constexpr auto erfc(const X& x) { return detail::Composed<detail::InSingle<detail::ErfcF>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto logit(const X& x) { return detail::Composed<detail::InSingle<detail::LogitF>>{}(x); }
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto hypot(const A& a, const B& b) {
  return detail::Composed<detail::InSingle<detail::HypotF>>{}(a, b);
}
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto remainder(const A& a, const B& b) { return detail::Composed<detail::RemainderF>{}(a, b); }
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto floor_divide(const A& a, const B& b) { return detail::Composed<detail::FloorDivideF>{}(a, b); }
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto logaddexp(const A& a, const B& b) {
  return detail::Composed<detail::InSingle<detail::LogAddExpF>>{}(a, b);
}
template <class X>
requires SomeOperands<X>
constexpr auto frac(const X& x) { return detail::Composed<detail::FracF>{}(x); }
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto copysign(const A& a, const B& b) { return detail::Composed<detail::CopysignF>{}(a, b); }
// x + scale a b, x + scale a / b
template <class X, class A, class B, class S = int>
requires SomeOperands<X, A, B>
constexpr auto addcmul(const X& x, const A& a, const B& b, const S& scale = 1) {
  return detail::Composed<detail::AddcmulF>{}(x, a, b, scale);
}
template <class X, class A, class B, class S = int>
requires SomeOperands<X, A, B>
constexpr auto addcdiv(const X& x, const A& a, const B& b, const S& scale = 1) {
  return detail::Composed<detail::AddcdivF>{}(x, a, b, scale);
}

}  // namespace weft
