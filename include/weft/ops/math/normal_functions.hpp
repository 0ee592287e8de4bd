#pragma once
// The normal distribution's function and its like: torch.special.ndtr, log_ndtr, ndtri, erfcx, entr. Computed
// in f64 and rounded once. Formulae: Cody (Math. Comp. 23, 1969) for erfcx, Moshier's Cephes library for
// ndtri.

#include "weft/ops/math/rational.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

inline constexpr double root_half = 0.70710678118654752440;  // sqrt(1 / 2)

// exp(x^2) erfc(x) of x >= 0, by Cody's three ranges.
struct ErfcxRightF {
  constexpr auto operator()(const auto& x) const {
    const auto small = lt(x, 0.46875), middle = le(x, 4.0);
    // (erf(v) / v) in v^2
    const auto v = where(small, x, 0);
    const auto vv = mul(v, v);
    constexpr double a[]{1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2,
                         3.77485237685302021e2, 3.20937758913846947e3},
        b[]{2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3};
    const auto near = mul(exp(vv), sub(1, mul(v, div(polynomial(vv, a), monic(vv, b)))));
    const auto w = where(bitwise_and(middle, logical_not(small)), x, 1);
    constexpr double c[]{2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0,
                         6.61191906371416295e1,  2.98635138197400131e2,  8.81952221241769090e2,
                         1.71204761263407058e3,  2.05107837782607147e3,  1.23033935479799725e3},
        d[]{1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
            3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3};
    const auto between = div(polynomial(w, c), monic(w, d));
    // 1 / sqrt(pi) / y (1 - ...), where the correction vanishes for large y
    const auto y = where(middle, 4, x);
    const auto held = where(gt(y, 1e8), 1e8, y);
    const auto q = div(1, mul(held, held));
    constexpr double e[]{1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1,
                         1.25781726111229246e-1, 1.60837851487422766e-2, 6.58749161529837803e-4},
        f[]{2.56852019228982242e0, 1.87295284992346725e0, 5.27905102951428412e-1, 6.05183413124413191e-2,
            2.33520497626869185e-3};
    const auto far = div(sub(0.56418958354775628695, mul(q, div(polynomial(q, e), monic(q, f)))), y);
    return where(small, near, where(middle, between, far));
  }
};
// 2 exp(x^2) - erfcx(-x) on the left.
struct ErfcxF {
  constexpr auto operator()(const auto& x) const {
    const auto left = lt(x, 0);
    const auto right = ErfcxRightF{}(where(left, neg(x), x));
    const auto square = where(left, mul(x, x), 0);
    return where(left, sub(mul(exp(square), 2), right), right);
  }
};
// erfc(x) of x >= 0
struct ErfcRightF {
  constexpr auto operator()(const auto& x) const { return mul(ErfcxRightF{}(x), exp(neg(mul(x, x)))); }
};
struct NdtrF {
  constexpr auto operator()(const auto& in) const {
    const auto x = mul(in, root_half);
    const auto left = lt(x, 0);
    const auto tail = mul(ErfcRightF{}(where(left, neg(x), x)), 0.5);
    const auto density = mul(exp(mul(mul(in, in), -0.5)), 0.39894228040143267794);  // 1 / sqrt(2 pi)
    return by_slopes(where(left, tail, sub(1, tail)), in, density);
  }
};
struct LogNdtrF {
  constexpr auto operator()(const auto& in) const {
    const auto x = mul(in, root_half);
    const auto left = lt(x, 0);
    const auto size = where(left, neg(x), x);
    const auto scaled = mul(ErfcxRightF{}(size), 0.5), square = mul(size, size);
    const auto tail = mul(where(left, 0, scaled), exp(neg(where(left, 0, square))));
    const auto value = where(left, sub(log(where(left, scaled, 1)), square), log1p(neg(tail)));
    // the density over the area
    constexpr double top = 0.39894228040143267794;  // 1 / sqrt(2 pi)
    const auto v = where(left, 0, in);
    const auto density = mul(exp(mul(mul(v, v), -0.5)), top);
    return by_slopes(value, in, where(left, div(top, where(left, scaled, 1)), div(density, sub(1, tail))));
  }
};
struct NdtriF {
  constexpr auto operator()(const auto& p) const {
    constexpr double edge = 0.13533528323661269189;  // exp(-2)
    const auto inside = bitwise_and(gt(p, 0), lt(p, 1));
    const auto upper = gt(p, 1 - edge);
    const auto folded = where(upper, sub(1, p), p);
    const auto central = gt(folded, edge);
    const auto y = sub(where(central, p, 0.5), 0.5);
    const auto yy = mul(y, y);
    constexpr double p0[]{-5.99633501014107895267e1, 9.80010754185999661536e1, -5.66762857469070293439e1,
                          1.39312609387279679503e1, -1.23916583867381258016e0},
        q0[]{1.95448858338141759834e0,  4.67627912898881538453e0, 8.63602421390890590575e1,
             -2.25462687854119370527e2, 2.00260212380060660359e2, -8.20372256168333339912e1,
             1.59056225126211695515e1,  -1.18331621121330003142e0};
    const auto middle =
        mul(add(y, mul(y, mul(yy, div(polynomial(yy, p0), monic(yy, q0))))), 2.50662827463100050242);
    const auto x = sqrt(mul(log(where(bitwise_and(inside, logical_not(central)), folded, 0.1)), -2));
    const auto z = div(1, x);
    constexpr double p1[]{4.05544892305962419923e0,   3.15251094599893866154e1,   5.71628192246421288162e1,
                          4.40805073893200834700e1,   1.46849561928858024014e1,   2.18663306850790267539e0,
                          -1.40256079171354495875e-1, -3.50424626827848203418e-2, -8.57456785154685413611e-4},
        q1[]{1.57799883256466749731e1,   4.53907635128879210584e1,  4.13172038254672030440e1,
             1.50425385692907503408e1,   2.50464946208309415979e0,  -1.42182922854787788574e-1,
             -3.80806407691578277194e-2, -9.33259480895457427372e-4},
        p2[]{3.23774891776946035970e0,  6.91522889068984211695e0,  3.93881025292474443415e0,
             1.33303460815807542389e0,  2.01485389549179081538e-1, 1.23716634817820021358e-2,
             3.01581553508235416007e-4, 2.65806974686737550832e-6, 6.23974539184983293730e-9},
        q2[]{6.02427039364742014255e0,  3.67983563856160859403e0,  1.37702099489081330271e0,
             2.16236993594496635890e-1, 1.34204006088543189037e-2, 3.28014464682127739104e-4,
             2.89247864745380683936e-6, 6.79019408009981274425e-9};
    const auto far = ge(x, 8);
    const auto outer =
        mul(z, where(far, div(polynomial(z, p2), monic(z, q2)), div(polynomial(z, p1), monic(z, q1))));
    const auto tail = sub(sub(x, div(log(x), x)), outer);
    const auto r = where(central, middle, where(upper, tail, neg(tail)));
    const auto least = eq(p, 0), end = bitwise_or(least, eq(p, 1));
    const auto value = where(inside, r, where(end, where(least, -infinity, infinity), nan));
    const auto slope = mul(exp(mul(mul(r, r), 0.5)), 2.50662827463100050242);
    // infinite at both ends, as its derivative is; beyond them NaN
    const auto e = where(end, p, 0.5), pole = neg(add(log(e), log(sub(1, e))));
    const auto none = mul(where(bitwise_or(inside, end), 0, p), nan);
    return by_slopes(value, p, where(inside, slope, where(end, pole, none)));
  }
};
// -x log(x), 0 at 0, -infinity below.
struct EntrF {
  constexpr auto operator()(const auto& in) const {
    const auto x = real(in);
    const auto logarithm = log(x);
    const auto value = where(eq(x, 0), 0, where(lt(x, 0), -infinity, neg(mul(x, logarithm))));
    return by_slopes(value, x, sub(neg(logarithm), 1));
  }
};

}  // namespace detail

// exp(x^2) erfc(x)
template <class X>
requires SomeOperands<X>
constexpr auto erfcx(const X& x) { return detail::Composed<detail::InDouble<detail::ErfcxF>>{}(x); }
// The area under the normal density left of x, its logarithm, and the place that has a given area.
template <class X>
requires SomeOperands<X>
constexpr auto ndtr(const X& x) { return detail::Composed<detail::InDouble<detail::NdtrF>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto log_ndtr(const X& x) { return detail::Composed<detail::InDouble<detail::LogNdtrF>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto ndtri(const X& p) { return detail::Composed<detail::InDouble<detail::NdtriF>>{}(p); }
// -x log(x)
template <class X>
requires SomeOperands<X>
constexpr auto entr(const X& x) { return detail::Composed<detail::InSingle<detail::EntrF>>{}(x); }

}  // namespace WEFT_NAMESPACE
