#pragma once
// Special functions and the rest of torch's pointwise functions, composed of primitives. lgamma, digamma and
// erfinv work in f64 and are rounded once. Formulae: Lanczos (1964) with g = 7; digamma's asymptotic series
// (Abramowitz and Stegun 6.3.18); Giles (2010), refined by Newton's iteration.

#include "weft/ops/logic.hpp"

namespace weft {

namespace detail {

// Evaluated in f64 and given in the operand's own dtype.
template <class F>
struct InDouble {
  constexpr auto operator()(const auto& in) const {
    const auto x = real(in);
    using T = dtype_of_operand<std::remove_cvref_t<decltype(x)>>;
    return cast<T>(F{}(cast<double>(x)));
  }
};
inline constexpr double pi = 3.14159265358979323846;
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// log |Gamma(x)|; left of 1/2 by reflection: log(pi / |sin(pi x)|) - lgamma(1 - x).
struct LgammaF {
  constexpr auto operator()(const auto& x) const {
    const auto finite = isfinite(x);
    const auto v = where(finite, x, 1);
    const auto left = lt(v, 0.5);
    const auto y = sub(where(left, sub(1, v), v), 1);
    constexpr double c[]{676.5203681218851,     -1259.1392167224028,  771.32342877765313,
                         -176.61502916214059,   12.507343278686905,   -0.13857109526572012,
                         9.9843695780195716e-6, 1.5056327351493116e-7};
    const auto series = [&]<std::size_t... K>(std::index_sequence<K...>) {
      auto total = add(div(c[0], add(y, 1)), 0.99999999999980993);
      ((total = add(total, div(c[K + 1], add(y, static_cast<double>(K + 2))))), ...);
      return total;
    }
    (std::make_index_sequence<7>{});
    const auto t = add(y, 7.5);
    const auto right = add(add(sub(mul(add(y, 0.5), log(t)), t), log(series)), 0.9189385332046727);
    const auto turn = abs(sin(mul(where(left, sub(v, floor(v)), 0.5), pi)));
    const auto r = where(left, sub(sub(1.1447298858494002, log(turn)), right), right);
    return where(finite, r, where(isnan(x), x, infinity));
  }
};

// The derivative of lgamma; left of 0 by reflection: digamma(1 - x) - pi / tan(pi x).
struct DigammaF {
  constexpr auto operator()(const auto& x) const {
    const auto left = le(x, 0);
    const auto first = where(left, sub(1, x), x);
    const auto shifted = [&]<std::size_t... K>(std::index_sequence<K...>) {
      auto total = div(-1, first);
      ((total = sub(total, div(1, add(first, static_cast<double>(K + 1))))), ...);
      return total;
    }
    (std::make_index_sequence<9>{});
    const auto z = add(first, 10), w = div(1, mul(z, z));
    constexpr double c[]{1.0 / 132, -1.0 / 240, 1.0 / 252, -1.0 / 120, 1.0 / 12};
    auto series = add(mul(w, -691.0 / 32760), c[0]);
    for (int k = 1; k < 5; ++k) series = add(mul(series, w), c[k]);
    const auto right = sub(add(shifted, log(z)), add(div(0.5, z), mul(series, w)));
    const auto part = sub(x, trunc(x));
    const auto whole = bitwise_and(left, eq(part, 0));
    const auto turn = div(pi, tan(mul(where(bitwise_or(whole, logical_not(left)), 0.25, part), pi)));
    const auto r = where(left, sub(right, turn), right);
    return where(whole, where(eq(x, 0), neg(div(1, x)), nan), where(eq(x, infinity), x, r));
  }
};

// Giles' approximation, then two steps of Newton's iteration on erf.
struct ErfinvF {
  constexpr auto operator()(const auto& y) const {
    const auto inside = lt(abs(y), 1);
    const auto v = where(inside, y, 0);
    const auto w = neg(log(mul(sub(1, v), add(1, v))));
    const auto central = lt(w, 5);
    constexpr double a[]{2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                         -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
    constexpr double b[]{-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                         -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
    const auto near = sub(where(central, w, 2.5), 2.5), far = sub(sqrt(where(central, 9, w)), 3);
    auto p = add(mul(near, a[0]), a[1]), q = add(mul(far, b[0]), b[1]);
    for (int k = 2; k < 9; ++k) {
      p = add(mul(p, near), a[k]);
      q = add(mul(q, far), b[k]);
    }
    auto x = mul(where(central, p, q), v);
    for (int step = 0; step < 2; ++step)
      x = sub(x, mul(sub(erf(x), v), mul(exp(mul(x, x)), 0.8862269254527580)));
    return where(inside, x, where(eq(y, 1), infinity, where(eq(y, -1), -infinity, nan)));
  }
};

// sin(pi x) / (pi x), 1 at 0.
struct SincF {
  constexpr auto operator()(const auto& in) const {
    const auto x = mul(real(in), pi);
    const auto zero = eq(x, 0);
    const auto safe = where(zero, 1, x);
    return where(zero, 1, div(sin(safe), safe));
  }
};
// x log(y), 0 where x is 0.
struct XlogyF {
  constexpr auto operator()(const auto& in, const auto& other) const {
    const auto x = real(in);
    const auto y = real(other);
    const auto dead = bitwise_and(eq(x, 0), bitwise_or(le(y, 0), eq(y, infinity)));
    return where(dead, 0, mul(x, log(where(dead, 1, y))));
  }
};
struct Xlog1pyF {
  constexpr auto operator()(const auto& in, const auto& other) const {
    const auto x = real(in);
    const auto y = real(other);
    const auto dead = bitwise_and(eq(x, 0), bitwise_or(le(y, -1), eq(y, infinity)));
    return where(dead, 0, mul(x, log1p(where(dead, 1, y))));
  }
};
struct LogAddExp2F {
  constexpr auto operator()(const auto& a, const auto& b) const {
    constexpr double ln2 = 0.6931471805599453;
    return mul(LogAddExpF{}(mul(real(a), ln2), mul(real(b), ln2)), 1 / ln2);
  }
};
// The logit of x held in [eps, 1 - eps].
struct LogitEpsF {
  constexpr auto operator()(const auto& in, const auto& eps) const {
    const auto x = ClampF{}(real(in), eps, rest(eps));
    return sub(log(x), log1p(neg(x)));
  }

 private:
  template <class E>
  static constexpr auto rest(const E& eps) {
    if constexpr (Scalar<E>)
      return 1 - eps;
    else
      return sub(1, eps);
  }
};
struct HeavisideF {
  constexpr auto operator()(const auto& x, const auto& at_zero) const {
    using T = common<std::remove_cvref_t<decltype(x)>, std::remove_cvref_t<decltype(at_zero)>>;
    return where(eq(x, 0), at_zero, cast<T>(gt(x, 0)));
  }
};
// NaN becomes `for_nan`; infinities the given numbers.
struct NanToNumF {
  constexpr auto operator()(const auto& x, const auto& for_nan, const auto& most, const auto& least) const {
    return where(isnan(x), for_nan, where(eq(x, infinity), most, where(eq(x, -infinity), least, x)));
  }
};
// The greatest finite number of a floating dtype.
constexpr double greatest(DType t) {
  return t == DType::f64      ? std::numeric_limits<double>::max()
         : t == DType::f32    ? static_cast<double>(std::numeric_limits<float>::max())
         : t == DType::bf16   ? 3.3895313892515355e38
         : t == DType::f16    ? 65504
         : t == DType::f8e4m3 ? 448
                              : 57344;
}
struct NanToLimitsF {
  constexpr auto operator()(const auto& x, const auto& for_nan) const {
    constexpr DType t = dtype_of<dtype_of_operand<std::remove_cvref_t<decltype(x)>>>;
    if constexpr (is_float(t))
      return NanToNumF{}(x, for_nan, greatest(t), -greatest(t));
    else
      return x;
  }
};
// NaN gives way to a number.
struct FmaxF {
  constexpr auto operator()(const auto& a, const auto& b) const {
    return where(isnan(a), b, where(isnan(b), a, maximum(a, b)));
  }
};
struct FminF {
  constexpr auto operator()(const auto& a, const auto& b) const {
    return where(isnan(a), b, where(isnan(b), a, minimum(a, b)));
  }
};
struct LdexpF {
  constexpr auto operator()(const auto& x, const auto& e) const {
    if constexpr (Scalar<std::remove_cvref_t<decltype(e)>>) {
      double factor = 1;
      for (auto n = e; n > 0; --n) factor *= 2;
      for (auto n = e; n < 0; ++n) factor /= 2;
      return mul(x, factor);
    } else {
      return mul(x, pow(2.0, real(e)));
    }
  }
};
struct FloatPowerF {
  constexpr auto operator()(const auto& x, const auto& p) const { return pow(wide(x), wide(p)); }

 private:
  template <class A>
  static constexpr auto wide(const A& a) {
    if constexpr (is_expr<A>)
      return cast<double>(a);
    else
      return a;
  }
};
struct ShiftLeftF {
  template <class X>
  constexpr auto operator()(const X& x, const auto& by) const {
    static_assert(
        sizeof(DtypeAllowed<!is_float(dtype_of<dtype_of_operand<X>>), ShiftLeftF, dtype_of_operand<X>>) > 0);
    if constexpr (Scalar<std::remove_cvref_t<decltype(by)>>)
      return mul(x, i64{1} << by);
    else
      return mul(x, pow(2, by));
  }
};

}  // namespace detail

template <class X>
requires SomeOperands<X>
constexpr auto lgamma(const X& x) { return detail::Composed<detail::InDouble<detail::LgammaF>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto digamma(const X& x) { return detail::Composed<detail::InDouble<detail::DigammaF>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto erfinv(const X& x) { return detail::Composed<detail::InDouble<detail::ErfinvF>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto sinc(const X& x) { return detail::Composed<detail::InSingle<detail::SincF>>{}(x); }
template <class X, class E>
requires SomeOperands<X, E>
constexpr auto logit(const X& x, const E& eps) {
  return detail::Composed<detail::InSingle<detail::LogitEpsF>>{}(x, eps);
}
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto xlogy(const A& a, const B& b) { return detail::Composed<detail::XlogyF>{}(a, b); }
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto xlog1py(const A& a, const B& b) {
  return detail::Composed<detail::InSingle<detail::Xlog1pyF>>{}(a, b);
}
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto logaddexp2(const A& a, const B& b) {
  return detail::Composed<detail::InSingle<detail::LogAddExp2F>>{}(a, b);
}
// 0, `at_zero` or 1 by the sign of x.
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto heaviside(const A& x, const B& at_zero) {
  return detail::Composed<detail::HeavisideF>{}(x, at_zero);
}
// NaN becomes `for_nan`, infinities the numbers given, or the dtype's greatest and least.
template <class X, class N = int>
requires SomeOperands<X>
constexpr auto nan_to_num(const X& x, const N& for_nan = 0) {
  return detail::Composed<detail::NanToLimitsF>{}(x, for_nan);
}
template <class X, class N, class P, class M>
requires SomeOperands<X, N, P, M>
constexpr auto nan_to_num(const X& x, const N& for_nan, const P& most, const M& least) {
  return detail::Composed<detail::NanToNumF>{}(x, for_nan, most, least);
}
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto fmax(const A& a, const B& b) { return detail::Composed<detail::FmaxF>{}(a, b); }
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto fmin(const A& a, const B& b) { return detail::Composed<detail::FminF>{}(a, b); }
// x 2^e
template <class X, class E>
requires SomeOperands<X, E>
constexpr auto ldexp(const X& x, const E& e) { return detail::Composed<detail::LdexpF>{}(x, e); }
// pow in f64
template <class X, class P>
requires SomeOperands<X, P>
constexpr auto float_power(const X& x, const P& p) { return detail::Composed<detail::FloatPowerF>{}(x, p); }
template <class X>
requires SomeOperands<X>
constexpr auto isposinf(const X& x) { return eq(x, detail::infinity); }
template <class X>
requires SomeOperands<X>
constexpr auto isneginf(const X& x) { return eq(x, -detail::infinity); }
template <class X>
requires SomeOperands<X>
constexpr auto deg2rad(const X& x) { return mul(x, detail::pi / 180); }
template <class X>
requires SomeOperands<X>
constexpr auto rad2deg(const X& x) { return mul(x, 180 / detail::pi); }
template <class X, class N>
requires SomeOperands<X, N>
constexpr auto bitwise_left_shift(const X& x, const N& by) {
  return detail::Composed<detail::ShiftLeftF>{}(x, by);
}
inline constexpr BinaryOp<ir::Op::shift_right> bitwise_right_shift{};

}  // namespace weft
