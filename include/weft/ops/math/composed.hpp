#pragma once
// Pointwise operations composed of primitives, with PyTorch's names and semantics. A formula is chosen so
// that its gradient is right, too: where one branch overflows, its operand is made harmless first.

#include <bit>
#include <limits>

#include "weft/ops/core/written.hpp"
#include "weft/ops/math/pointwise.hpp"

namespace WEFT_NAMESPACE {

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

// F whose first operand is a tensor: a number becomes a value beside the second.
template <class F>
struct NumberFirst {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const {
    if constexpr (is_number<A>)
      return F{}(number_as_value(a, real(b)), b);
    else
      return F{}(a, b);
  }
};

// A number as an element of T, where PyTorch makes it one before it computes in f32; tensors stay.
template <class T, class A>
constexpr auto as_element(const A& a) {
  constexpr bool small = is_float(dtype_of<T>) && size_of(dtype_of<T>) < 4;
  if constexpr (Scalar<A> && small)
    return ir::as_element(dtype_of<T>, static_cast<double>(a));
  else if constexpr (is_scalar_expr<A> && small)
    return ScalarExpr<f32>{ir::cast(ir::cast(a.value, dtype_of<T>), DType::f32)};
  else
    return a;
}

// F of such elements.
template <class F>
struct OfElements {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const {
    using T = common<A, B>;
    return F{}(as_element<T>(a), as_element<T>(b));
  }
};
template <class F>
struct OfElement {  // the first
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const {
    return F{}(as_element<common<A, B>>(a), b);
  }
};

// `value`, whose derivative by x is `slope` beside what it is made of; a number has none.
template <class V, class X, class S>
constexpr auto by_slope(const V& value, const X& x, const S& slope) {
  if constexpr (is_expr<X> && is_float(dtype_of<typename V::dtype>)) {
    ir::Builder& b = *value.value.builder;
    return V{ir::slope(value.value, x.value, as_value<typename V::dtype>(b, slope))};
  } else {
    return value;
  }
}
// `value` with no derivatives but those given: by x, and by y.
template <class V, class X, class S>
constexpr auto by_slopes(const V& value, const X& x, const S& dx) {
  return by_slope(stop_gradient(value), x, dx);
}
template <class V, class X, class S, class Y, class R>
constexpr auto by_slopes(const V& value, const X& x, const S& dx, const Y& y, const R& dy) {
  return by_slope(by_slopes(value, x, dx), y, dy);
}

// A number that bounds a tensor of T, as one that T holds.
template <class T, class B>
constexpr auto held_in(const B& bound) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<B> && !std::is_same_v<T, bool>) {
    constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    return std::cmp_less(bound, low) ? low : std::cmp_less(high, bound) ? high : static_cast<T>(bound);
  } else if constexpr (is_scalar_expr<B> && may_exceed<T, B>) {
    const ir::Value v = ir::cast(bound.value, DType::i64);
    const auto limit = [&](T most) { return ir::constant_like(v, static_cast<double>(most)); };
    const ir::Value least = ir::binary(ir::Op::max, v, limit(std::numeric_limits<T>::min()));
    return ScalarExpr<T>{
        ir::cast(ir::binary(ir::Op::min, least, limit(std::numeric_limits<T>::max())), dtype_of<T>)};
  } else {
    return bound;
  }
}

// Whether a bound is what clamp gives, where `beyond` says so or the bound is NaN, which all becomes.
template <class C, class B>
constexpr auto is_bounded(const C& beyond, const B& bound) {
  if constexpr (std::is_floating_point_v<dtype_of_operand<B>> && is_scalar_expr<B>)
    return bitwise_or(beyond, Expr<bool, Shape<>>{ir::binary(ir::Op::ne, bound.value, bound.value)});
  else if constexpr (std::is_floating_point_v<B>)
    return bound == bound ? beyond : bitwise_or(beyond, true);
  else
    return beyond;
}

// By numbers: selections, since at the bounds PyTorch's gradient is 0, and NaN stays. By tensors: extrema.
struct ClampMinF {
  template <class X, class B>
  constexpr auto operator()(const X& x, const B& bound) const {
    if constexpr (is_expr<B>) {
      return maximum(x, bound);
    } else {
      const auto low = held_in<dtype_of_operand<X>>(bound);
      return where(is_bounded(le(x, low), low), low, x);
    }
  }
};
struct ClampMaxF {
  template <class X, class B>
  constexpr auto operator()(const X& x, const B& bound) const {
    if constexpr (is_expr<B>) {
      return minimum(x, bound);
    } else {
      const auto high = held_in<dtype_of_operand<X>>(bound);
      return where(is_bounded(ge(x, high), high), high, x);
    }
  }
};
struct ClampF {
  constexpr auto operator()(const auto& x, const auto& low, const auto& high) const {
    return ClampMaxF{}(ClampMinF{}(x, low), high);
  }
};
// From the nearer end, so that both ends come out exactly.
struct LerpF {
  constexpr auto operator()(const auto& from, const auto& to, const auto& weight) const {
    const auto a = real(from);
    const auto b = real(to);
    const auto w = real(weight);
    const auto way = sub(b, a);
    if constexpr (Scalar<std::remove_cvref_t<decltype(w)>>) {
      return w < 0.5 && w > -0.5 ? add(a, mul(way, w)) : sub(b, mul(way, 1 - w));
    } else {
      const auto rest = sub(1, w);
      const auto r = where(lt(abs(w), 0.5), add(a, mul(w, way)), sub(b, mul(way, rest)));
      return by_slope(by_slopes(r, a, rest, b, w), w, way);
    }
  }
};
struct SquareF {
  template <class X>
  constexpr auto operator()(const X& x) const {
    if constexpr (std::is_same_v<dtype_of_operand<X>, bool>)
      return cast<i64>(x);
    else
      return mul(x, x);
  }
};
struct ReciprocalF {
  constexpr auto operator()(const auto& x) const { return div(1, x); }
};
struct Exp2F {
  constexpr auto operator()(const auto& x) const { return pow(2.0f, real(x)); }
};
inline constexpr double log_two = 0.6931471805599453;
inline constexpr double beyond_squares = 1e9;  // x^2 + 1 is x^2, and as far from overflow
// sign(x) log1p(|x| + x^2 / (1 + sqrt(x^2 + 1))), sign(x) log(2 |x|) far out
struct AsinhF {
  constexpr auto operator()(const auto& in) const {
    const auto x = real(in), a = abs(x), s = add(mul(x, x), 1);
    const auto far = gt(a, beyond_squares);
    const auto inner = where(far, a, add(a, div(mul(x, x), add(sqrt(s), 1))));
    const auto r = add(log1p(inner), where(far, log_two, mul(inner, 0)));
    return by_slopes(where(lt(x, 0), neg(r), where(gt(x, 0), r, x)), x, rsqrt(s));
  }
};
// log1p(t + sqrt(t (t + 2))), t = x - 1; log(2 x) far out
struct AcoshF {
  constexpr auto operator()(const auto& in) const {
    const auto x = real(in), t = sub(x, 1), s = mul(t, add(x, 1));
    const auto far = gt(x, beyond_squares), outside = lt(x, 1);
    const auto inner = where(far, x, add(t, sqrt(where(outside, -1, s))));
    const auto r = add(log1p(inner), where(far, log_two, mul(inner, 0)));
    return by_slopes(r, x, rsqrt(where(eq(s, 0), sub(mul(x, x), 1), s)));  // +0 and 2 x at the ends
  }
};
struct AtanhF {
  constexpr auto operator()(const auto& in) const {
    const auto x = real(in);
    const auto r = mul(sub(log1p(x), log1p(neg(x))), 0.5);
    const auto s = mul(sub(1, x), add(1, x));
    return by_slopes(r, x, div(1, where(eq(s, 0), sub(1, mul(x, x)), s)));
  }
};
// The derivative of the logit; none outside [0, 1], as in PyTorch.
template <class X>
constexpr auto logit_slope(const X& x) {
  const auto outside = bitwise_or(lt(x, 0), gt(x, 1));
  return where(outside, std::numeric_limits<double>::quiet_NaN(), div(1, mul(x, sub(1, x))));
}
struct LogitF {
  constexpr auto operator()(const auto& in) const {
    const auto x = real(in);
    return by_slopes(sub(log(x), log1p(neg(x))), x, logit_slope(x));
  }
};
// Scaled by the larger operand, so that squares neither overflow nor vanish.
struct HypotF {
  template <class A, class B>
  constexpr auto operator()(const A& x, const B& y) const {
    const auto a = real(x);
    const auto b = real(y);
    const auto scale = stop_gradient(maximum(abs_of(a), abs_of(b)));
    const auto plain = bitwise_and(ne(scale, 0), isfinite(scale));
    const auto safe = where(plain, scale, 1);
    const auto p = div(a, safe), q = div(b, safe);
    const auto r =
        where(plain, mul(safe, sqrt(add(mul(p, p), mul(q, q)))), or_infinity(or_infinity(scale, a), b));
    return by_slopes(r, a, div(a, r), b, div(b, r));
  }

 private:
  // An infinite operand counts more than a NaN.
  template <class S, class A>
  static constexpr auto or_infinity(const S& scale, const A& a) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if constexpr (Scalar<A>)
      return scale;
    else
      return where(eq(abs(a), infinity), infinity, scale);
  }
  template <class A>
  static constexpr auto abs_of(const A& a) {
    if constexpr (Scalar<A>)
      return a < 0 ? -a : a;
    else
      return abs(a);
  }
};
// Whether what fmod leaves of a division is of another sign than the divisor.
template <class R, class B>
constexpr auto is_behind(const R& rest, const B& b) {
  if constexpr (Scalar<B>)
    return b < 0 ? gt(rest, 0) : lt(rest, 0);
  else
    return bitwise_and(ne(rest, 0), ne(lt(rest, 0), lt(b, 0)));
}
// The greatest whole number not above the quotient of the exact division, as Python's //.
struct FloorDivideF {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const {
    const auto rest = fmod(a, b);
    const auto down = is_behind(rest, b);
    if constexpr (is_float(dtype_of<common<A, B>>)) {
      const auto plain = div(a, b), whole = round(div(sub(a, rest), b));
      const auto r = where(down, sub(whole, 1), whole);
      return stop_gradient(where(eq(r, 0), trunc(plain), zero_divisor(b, plain, r)));
    } else {
      const auto whole = BinaryOp<ir::Op::div>{}(a, b);
      return where(down, sub(whole, 1), whole);
    }
  }

 private:
  template <class B, class P, class R>
  static constexpr auto zero_divisor(const B& b, const P& plain, const R& r) {
    if constexpr (Scalar<B>)
      return where(isnan(r), b == 0 ? plain : r, r);
    else
      return where(eq(b, 0), plain, r);
  }
};
// The remainder with the divisor's sign, as Python's %.
struct RemainderF {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const {
    const auto rest = fmod(a, b);
    const auto r = where(is_behind(rest, b), add(rest, b), rest);
    if constexpr (is_expr<B> && is_float(dtype_of<common<A, B>>))
      return by_slopes(r, a, 1, b, neg(FloorDivideF{}(a, b)));
    else
      return r;
  }
};
// log(exp(a) + exp(b)), b's share of the gradient being sigmoid(b - a).
struct LogAddExpF {
  constexpr auto operator()(const auto& x, const auto& y) const {
    const auto a = real(x);
    const auto b = real(y);
    const auto way = sub(a, b);
    return by_slopes(value(a, b), a, sigmoid_of(way), b, sigmoid_of(neg(way)));
  }
  static constexpr auto value(const auto& a, const auto& b) {
    const auto top = maximum(a, b), distance = abs(sub(a, b));
    return add(top, where(isfinite(distance), log1p(exp(neg(distance))), 0));
  }
  static constexpr UnaryOp<ir::Op::sigmoid, true> sigmoid_of{};
};
struct FracF {
  constexpr auto operator()(const auto& x) const { return sub(x, trunc(x)); }
};
struct CopysignF {
  constexpr auto operator()(const auto& a, const auto& b) const {
    const auto m = abs(real(a));
    if constexpr (Scalar<std::remove_cvref_t<decltype(b)>>)
      return std::bit_cast<u64>(static_cast<double>(b)) >> 63 != 0 ? neg(m) : m;
    else
      return where(signbit(b), neg(m), m);
  }
};
template <int N>
struct ScaledLogF {
  constexpr auto operator()(const auto& x) const {
    return mul(log(x), N == 2 ? 1.4426950408889634 : 0.4342944819032518);
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
constexpr auto lerp(const A& a, const B& b, const W& w) {
  return detail::Composed<detail::InSingle<detail::LerpF>>{}(a, b, w);
}
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
constexpr auto log2(const X& x) { return detail::Composed<detail::InSingle<detail::ScaledLogF<2>>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto log10(const X& x) { return detail::Composed<detail::InSingle<detail::ScaledLogF<10>>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto asinh(const X& x) { return detail::Composed<detail::InSingle<detail::AsinhF>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto acosh(const X& x) { return detail::Composed<detail::InSingle<detail::AcoshF>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto atanh(const X& x) { return detail::Composed<detail::InSingle<detail::AtanhF>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto erfc(const X& x) { return UnaryOp<ir::Op::erfc, true>{}(x); }
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
constexpr auto remainder(const A& a, const B& b) {
  return detail::Composed<detail::OfElements<detail::InSingle<detail::RemainderF>>>{}(a, b);
}
// As PyTorch's %: the sign is b's.
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto operator%(const A& a, const B& b) { return remainder(a, b); }
// A divisor that is a number is taken as precisely as f32 holds it, as in PyTorch.
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto floor_divide(const A& a, const B& b) {
  return detail::Composed<detail::OfElement<detail::InSingle<detail::FloorDivideF>>>{}(a, b);
}
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
constexpr auto copysign(const A& a, const B& b) {
  return detail::Composed<detail::NumberFirst<detail::CopysignF>>{}(a, b);
}
// x + scale a b, x + scale a / b
template <class X, class A, class B, class S = int>
requires SomeOperands<X, A, B>
constexpr auto addcmul(const X& x, const A& a, const B& b, const S& scale = 1) {
  return detail::Composed<detail::InSingle<detail::AddcmulF>>{}(x, a, b, scale);
}
template <class X, class A, class B, class S = int>
requires SomeOperands<X, A, B>
constexpr auto addcdiv(const X& x, const A& a, const B& b, const S& scale = 1) {
  return detail::Composed<detail::InSingle<detail::AddcdivF>>{}(x, a, b, scale);
}

}  // namespace WEFT_NAMESPACE
