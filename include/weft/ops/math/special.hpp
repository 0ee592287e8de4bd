#pragma once
// Special functions and the rest of torch's pointwise functions, composed of primitives. lgamma and digamma
// work in f64 and are rounded once, erfinv of f64 alone. Formulae: Lanczos (1964) with g = 7; digamma's
// asymptotic series (Abramowitz and Stegun 6.3.18); erfinv in the variable of Giles (2010), in f64 refined by
// Newton's iteration.

#include <limits>

#include "weft/ops/math/logic.hpp"

namespace WEFT_NAMESPACE {

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

// The derivative of lgamma; left of 0 by reflection: digamma(1 - x) - pi / tan(pi x).
struct DigammaF {
  constexpr auto operator()(const auto& x) const {
    const auto left = le(x, 0), end = eq(x, infinity);
    const auto first = where(left, sub(1, x), where(end, 1, x));
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
    // at the poles the tangent is 0: an infinity there, and in the derivatives
    const auto nearest = round(x);
    const auto part = where(eq(nearest, 0), x, sub(x, nearest));  // -0 stays
    // pi over the tangent, away from the poles the tangent of what is left to a right angle
    const auto p = where(left, part, 0.25);
    const auto near = le(abs(p), 0.25);
    const auto tangent = tan(mul(where(near, p, sub(where(lt(p, 0), -0.5, 0.5), p)), pi));
    const auto turn = mul(where(near, div(1, where(near, tangent, 1)), tangent), pi);
    const auto r = where(left, sub(right, turn), where(end, infinity, right));
    const auto pole = bitwise_and(lt(x, 0), eq(x, trunc(x)));
    return where(pole, add(r, nan), r);  // PyTorch's value; the derivatives stay
  }
};

// log |Gamma(x)|: Lanczos' formula, its sum of fractions as one; polynomials about 1 and 2, where it is 0;
// left of 1/2 by reflection: log(pi / |sin(pi x)|) - lgamma(1 - x). What they take logarithms of is
// multiplied.
struct LgammaF {
  constexpr auto operator()(const auto& in) const {
    const auto x = stop_gradient(in);
    const auto finite = isfinite(x);
    const auto v = where(finite, x, 1);
    const auto left = lt(v, 0.5);
    const auto first = where(left, sub(1, v), v);
    const auto inner = le(first, 2.5), second = ge(first, 1.5);
    const auto y = sub(first, 1), held = minimum(y, 1e30);  // where the fraction is 1
    constexpr double over[]{0.99999999999980993, 60.458333333342034, 1599.0425347220458,
                            24165.510665029534,  228235.21549971452, 1379496.2658786707,
                            5210869.0177608315,  11246929.484659927, 10619610.099075993};
    constexpr double under[]{1, 36, 546, 4536, 22449, 67284, 118124, 109584, 40320};
    auto numerator = add(mul(held, over[0]), over[1]), denominator = add(held, under[1]);
    for (int k = 2; k < 9; ++k) {
      numerator = add(mul(numerator, held), over[k]);
      denominator = add(mul(denominator, held), under[k]);
    }
    // |sin(pi v)| / pi by its series, an error of 3e-14: |v| next to a pole
    const auto part = where(left, sub(v, round(v)), 0.5), square_of_part = mul(part, part);
    double c[9]{1};
    for (int k = 1; k < 9; ++k) c[k] = -c[k - 1] * pi * pi / (2 * k * (2 * k + 1));
    auto sine = add(mul(square_of_part, c[8]), c[7]);
    for (int k = 6; k >= 0; --k) sine = add(mul(sine, square_of_part), c[k]);
    const auto turn = mul(abs(part), sine);
    const auto factor = where(inner, where(second, y, 1), div(numerator, denominator));
    const auto t = add(y, 7.5);
    const auto away = add(sub(mul(add(y, 0.5), log(t)), t), 0.9189385332046727);
    const auto sum =
        add(where(inner, near(first, second), away), log(where(left, mul(turn, factor), factor)));
    const auto r = where(left, where(eq(turn, 0), infinity, neg(sum)), sum);
    return by_slope(where(finite, r, where(isnan(x), x, infinity)), in, DigammaF{}(in));
  }

 private:
  // lgamma(1 + z) = z p(z), lgamma(2 + z) = log(1 + z) + z p(z) for |z| <= 1/2, relative error 2^-38: z p(z)
  static constexpr auto near(const auto& x, const auto& second) {
    const auto z = sub(x, where(second, 2.0, 1.0));
    constexpr double c[]{
        -0.172549165212855,   0.18102626103296443, 0.014510481543450745, -0.01417381998222155,
        -0.08878258519906032, 0.09454613242271671, -0.07312666085123666, 0.07937680681003766,
        -0.09134177065637357, 0.10050459854523884, -0.11131134774190171, 0.12548572577377712,
        -0.14405062429573703, 0.16955793703963393, -0.2073855405981778,  0.2705807975314802,
        -0.4006856344301593,  0.8224670334696889,  -0.5772156649015329};
    auto p = add(mul(z, c[0]), c[1]);
    for (int k = 2; k < 19; ++k) p = add(mul(p, z), c[k]);
    return mul(z, p);
  }
};

// Giles' approximation of the magnitude, then three steps of Newton's iteration: on erf, near 1 on log erfc.
struct ErfinvF {
  constexpr auto operator()(const auto& y) const {
    const auto inside = lt(abs(y), 1);
    const auto v = where(inside, abs(y), 0), rest = sub(1, v);
    const auto w = neg(log(mul(rest, add(1, v))));
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
    constexpr double half_root = 0.8862269254527580;  // sqrt(pi) / 2
    for (int step = 0; step < 3; ++step) {
      const auto tail = erfc(x);
      const auto error = where(lt(v, 0.5), sub(v, erf(x)), mul(log(div(tail, rest)), tail));
      x = add(x, mul(error, mul(exp(mul(x, x)), half_root)));
    }
    const auto beyond = mul(where(inside, 1, y), where(eq(abs(y), 1), infinity, nan));
    const auto r = where(inside, where(eq(y, 0), y, where(lt(y, 0), neg(x), x)), beyond);
    return by_slopes(r, y, mul(exp(mul(r, r)), half_root));
  }
};

// The same in f32: x = y r(w) with w = -log(1 - y^2), and the slope d(w) / (1 - y^2); r and d by polynomials
// through Chebyshev's points, in w - 5/2 up to w = 5 and in sqrt(w) - 3 beyond, relative errors of 6e-8.
struct ErfinvSingleF {
  constexpr auto operator()(const auto& y) const {
    const auto inside = lt(abs(y), 1);
    const auto v = where(inside, y, 0);
    const auto rest = mul(sub(1, v), add(1, v));
    const auto w = neg(log(rest));
    const auto central = lt(w, 5);
    const auto near = sub(where(central, w, 2.5), 2.5), far = sub(sqrt(where(central, 9, w)), 3);
    const auto polynomial = [&](const double(&a)[10], const double(&b)[10]) {
      auto p = add(mul(near, a[0]), a[1]), q = add(mul(far, b[0]), b[1]);
      for (int k = 2; k < 10; ++k) {
        p = add(mul(p, near), a[k]);
        q = add(mul(q, far), b[k]);
      }
      return where(central, p, q);
    };
    constexpr double r_near[]{-8.93192631e-09, 2.33359678e-08, 4.68131361e-07, -3.46398519e-06,
                              -4.9724199e-06,  0.000218349393, -0.00125272642, -0.00417739293,
                              0.24664028,      1.50140941};
    constexpr double r_far[]{0.000111538582, -0.000305525056, -5.04588534e-05, 0.00147970393, -0.00360090029,
                             0.00568921631,  -0.00763648981,  0.00944499206,   1.00167489,    2.83297682};
    constexpr double d_near[]{-5.62352165e-10, 5.23945953e-09, -6.05573476e-08, 1.15753153e-06,
                              -1.77054008e-05, 0.000200418304, -0.00175774167,  0.0125169018,
                              -0.0778444782,   0.576032817};
    constexpr double d_far[]{6.28506768e-06,  -4.97804904e-05, 0.000160016978, -0.000258143642,
                             -1.04638445e-06, 0.00170994573,   -0.00845725555, 0.031777624,
                             -0.1067141,      0.334200174};
    const auto end = where(eq(abs(y), 1), mul(abs(y), infinity), nan);
    const auto r = where(inside, mul(polynomial(r_near, r_far), v), mul(y, end));
    const auto slope = where(inside, div(polynomial(d_near, d_far), rest), end);
    return by_slopes(r, y, by_slopes(slope, y, mul(mul(r, square(slope)), 2)));
  }
};
struct ErfinvOfF {
  template <class X>
  constexpr auto operator()(const X& in) const {
    if constexpr (dtype_of<dtype_of_operand<std::remove_cvref_t<decltype(real(in))>>> == DType::f64)
      return ErfinvF{}(real(in));
    else
      return InSingle<ErfinvSingleF>{}(real(in));
  }
};

// sin(pi x) / (pi x), 1 at 0.
struct SincF {
  constexpr auto operator()(const auto& in) const {
    const auto x = real(in), t = mul(x, pi);
    const auto zero = eq(t, 0);
    const auto safe = where(zero, 1, t);
    return by_slopes(where(zero, 1, div(sin(safe), safe)), x, mul(derivative(t), pi));
  }

 private:
  // Of sin(t) / t: (cos(t) - sin(t) / t) / t, near 0 its series.
  static constexpr auto derivative(const auto& t) {
    const auto near = lt(abs(t), 1);
    const auto far = where(near, 1, t), s = where(near, mul(t, t), 0);
    constexpr double c[]{1.0 / 518918400, -1.0 / 3991680, 1.0 / 45360, -1.0 / 840, 1.0 / 30, -1.0 / 3};
    auto series = add(mul(s, c[0]), c[1]);
    for (int k = 2; k < 6; ++k) series = add(mul(series, s), c[k]);
    return where(near, mul(t, series), div(sub(cos(far), div(sin(far), far)), far));
  }
};
// x log(y) or x log1p(y), 0 where x is 0 and y a number. Where the logarithm has no value, too, its share of
// the gradient is 0, as in PyTorch.
template <bool OnePlus>
struct XlogyF {
  constexpr auto operator()(const auto& in, const auto& other) const {
    const auto x = real(in);
    const auto given = real(other);
    const auto y = where(eq(x, 0), given, given);
    const auto logarithm = [&] {
      if constexpr (OnePlus)
        return log1p(y);
      else
        return log(y);
    }();
    const auto none = eq(x, 0);
    const auto value = where(bitwise_and(none, eq(y, y)), 0, mul(x, logarithm));
    const auto dx = where(bitwise_and(none, le(y, OnePlus ? -1 : 0)), 0, logarithm);
    return by_slopes(value, x, dx, given, div(x, add(y, OnePlus ? 1 : 0)));
  }
};
struct LogAddExp2F {
  constexpr auto operator()(const auto& x, const auto& y) const {
    const auto a = mul(real(x), log_two);
    const auto b = mul(real(y), log_two);
    const auto way = sub(a, b);
    constexpr auto sigmoid_of = LogAddExpF::sigmoid_of;
    const auto r = mul(LogAddExpF::value(a, b), 1 / log_two);
    return by_slopes(r, real(x), sigmoid_of(way), real(y), sigmoid_of(neg(way)));
  }
};
// The logit of x held in [eps, 1 - eps], by eps first; no derivative outside.
struct LogitEpsF {
  constexpr auto operator()(const auto& in, const auto& eps) const {
    const auto x = real(in);
    const auto least = lt(x, eps), most = gt(x, rest(eps));
    const auto held = where(least, eps, where(most, rest(eps), x));
    const auto inside = bitwise_and(ge(x, eps), le(x, rest(eps)));
    return by_slopes(sub(log(held), log1p(neg(held))), x, where(inside, div(1, mul(x, sub(1, x))), 0));
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
  template <class X>
  constexpr auto operator()(const X& x, const auto& for_nan, const auto& most, const auto& least) const {
    if constexpr (is_float(dtype_of<dtype_of_operand<X>>))
      return where(isnan(x), for_nan, where(is_infinity(x, 1), most, where(is_infinity(x, -1), least, x)));
    else
      return x;
  }
};
// Degrees to radians, and back.
template <int Way>
struct ScaledF {
  constexpr auto operator()(const auto& x) const { return mul(x, Way > 0 ? pi / 180 : 180 / pi); }
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
// A number that is known at run time as a value beside x: two numbers are no operands of an operation.
template <class X, class N>
constexpr auto number_beside(const X& x, const N& n) {
  if constexpr (is_scalar_expr<N> && is_expr<X>) {
    using T = promoted_scalar<typename X::dtype, dtype_of_operand<N>>;
    return Expr<T, Shape<>>{as_value<T>(*x.value.builder, n)};
  } else {
    return n;
  }
}
// f(b, a), and the other where one is NaN; of a number it is known.
template <class A, class B, class F>
constexpr auto unless_nan(const A& a, const B& b, const F& f) {
  if constexpr (is_scalar_expr<A> || is_scalar_expr<B>)
    return unless_nan(number_beside(b, a), number_beside(a, b), f);
  else if constexpr (Scalar<A>)
    return a != a ? f(b, b) : where(isnan(b), a, f(b, a));
  else if constexpr (Scalar<B>)
    return b != b ? f(a, a) : where(isnan(a), b, f(b, a));
  else
    return where(isnan(b), a, where(isnan(a), b, f(b, a)));
}
// NaN gives way to a number.
struct FmaxF {
  constexpr auto operator()(const auto& a, const auto& b) const {
    return unless_nan(a, b, [](const auto& u, const auto& v) { return maximum(u, v); });
  }
};
struct FminF {
  constexpr auto operator()(const auto& a, const auto& b) const {
    return unless_nan(a, b, [](const auto& u, const auto& v) { return minimum(u, v); });
  }
};
struct LdexpF {
  constexpr auto operator()(const auto& x, const auto& e) const {
    if constexpr (Scalar<std::remove_cvref_t<decltype(e)>>) {
      return mul(x, power_of_two(static_cast<double>(e)));
    } else {
      return mul(x, pow(2.0, real(e)));
    }
  }

 private:
  // Of a fraction by exp's series, as constant evaluation has no std::exp2.
  static constexpr double power_of_two(double e) {
    if (e >= 1024) return std::numeric_limits<double>::infinity();
    if (e < -1100) return 0;
    double whole = 1;
    for (; e >= 1; --e) whole *= 2;
    for (; e <= -1; ++e) whole /= 2;
    double sum = 1, term = 1;
    for (int k = 1; k < 24; ++k) term *= e * log_two / k, sum += term;
    return whole * sum;
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
    if constexpr (Scalar<std::remove_cvref_t<decltype(by)>>)  // all bits leave behind 63 places, as in
                                                              // PyTorch
      return mul(x, by < 0 || by > 63 ? i64{0} : i64{1} << by);
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
constexpr auto erfinv(const X& x) { return detail::Composed<detail::ErfinvOfF>{}(x); }
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
constexpr auto xlogy(const A& a, const B& b) {
  return detail::Composed<detail::NumberFirst<detail::InSingle<detail::XlogyF<false>>>>{}(a, b);
}
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto xlog1py(const A& a, const B& b) {
  return detail::Composed<detail::NumberFirst<detail::InSingle<detail::XlogyF<true>>>>{}(a, b);
}
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto logaddexp2(const A& a, const B& b) {
  return detail::Composed<detail::NumberFirst<detail::InSingle<detail::LogAddExp2F>>>{}(a, b);
}
// 0, `at_zero` or 1 by the sign of x.
template <class A, class B>
requires SomeOperands<A, B>
constexpr auto heaviside(const A& x, const B& at_zero) {
  return detail::Composed<detail::NumberFirst<detail::HeavisideF>>{}(x, at_zero);
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
constexpr auto ldexp(const X& x, const E& e) {
  return detail::Composed<detail::InSingle<detail::LdexpF>>{}(x, e);
}
// pow in f64
template <class X, class P>
requires SomeOperands<X, P>
constexpr auto float_power(const X& x, const P& p) { return detail::Composed<detail::FloatPowerF>{}(x, p); }
template <class X>
requires SomeOperands<X>
constexpr auto isposinf(const X& x) { return detail::Composed<detail::InfinityF<1>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto isneginf(const X& x) { return detail::Composed<detail::InfinityF<-1>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto deg2rad(const X& x) { return detail::Composed<detail::InSingle<detail::ScaledF<1>>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto rad2deg(const X& x) { return detail::Composed<detail::InSingle<detail::ScaledF<-1>>>{}(x); }
template <class X, class N>
requires SomeOperands<X, N>
constexpr auto bitwise_left_shift(const X& x, const N& by) {
  return detail::Composed<detail::ShiftLeftF>{}(x, by);
}
inline constexpr BinaryOp<ir::Op::shift_right> bitwise_right_shift{};
template <class X, class N>
requires OperatorOperands<X, N>
constexpr auto operator<<(const X& x, const N& by) { return bitwise_left_shift(x, by); }
// Refused: x << 1, 2, 3 as in Eigen.
WEFT_REFUSAL(
    ElementsAreBraced,
    "the elements of a tensor are given in braces, Tensor<f32, Shape<3>> x{1, 2, 3}, or written one by "
    "one, x[0] = 1; << shifts the bits of integers");
template <class X>
concept TensorOfFractions = TensorLike<X> && is_float(dtype_of<typename X::dtype>);
template <class X, class N>
requires OperatorOperands<X, N> && TensorOfFractions<X>
constexpr const X& operator<<(const X& x, const N&) {
  static_assert(sizeof(ElementsAreBraced<sizeof(X) == 0, X, N>) > 0);
  return x;
}
template <class X, class N>
requires OperatorOperands<X, N>
constexpr auto operator>>(const X& x, const N& by) { return bitwise_right_shift(x, by); }

}  // namespace WEFT_NAMESPACE
