#pragma once
// Modified Bessel functions of order 0 and 1: torch.special.i0, i0e, i1, i1e, modified_bessel_i0, i1, k0, k1
// and scaled_modified_bessel_k0, k1. Computed in f64 and rounded once: I by its power series up to 8; I
// beyond and K by the Chebyshev series of Moshier's Cephes library.

#include "weft/ops/math/rational.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

// The sum of c[N - 1 - k] T_k(x / 2), the term of k = 0 halved, by Clenshaw's recurrence.
template <int N>
constexpr auto chebyshev_series(const auto& x, const double (&c)[N]) {
  auto b2 = add(mul(x, c[0]), c[1]), b1 = b2;
  auto b0 = add(mul(x, b1), c[2] - c[0]);
  for (int k = 3; k < N; ++k) {
    b2 = b1, b1 = b0;
    b0 = add(sub(mul(x, b1), b2), c[k]);
  }
  return mul(sub(b0, b2), 0.5);
}

// I_0 and I_1. Near: of x in [-8, 8], the sum of (x / 2)^(2 k + order) / (k! (k + order)!). Far: exp(-y)
// sqrt(y) times it, of y > 8.
template <int Order>
struct FirstKind {
  static constexpr int terms = 26;
  struct Series {
    double c[terms]{};  // the highest power first
  };
  static constexpr Series make() {
    Series r;
    double term = 1;
    for (int k = 0; k < terms; ++k) {
      r.c[terms - 1 - k] = term;
      term /= static_cast<double>(k + 1) * static_cast<double>(k + 1 + Order);
    }
    return r;
  }
  static constexpr auto near(const auto& x) {
    constexpr Series series = make();
    const auto half = mul(x, 0.5);
    const auto sum = polynomial(mul(half, half), series.c);
    if constexpr (Order == 0)
      return sum;
    else
      return mul(sum, half);
  }
  static constexpr double zero[25]{
      -7.2331804878747539545e-18, -4.8305044859441820712e-18, 4.4656214202967599990e-17,
      3.4612228676974610931e-17,  -2.8276239805165834849e-16, -3.4254856196772191346e-16,
      1.7725601330565263836e-15,  3.8116806693526224207e-15,  -9.5548466988283076487e-15,
      -4.1505693472872220866e-14, 1.5400862175214098269e-14,  3.8527783827421427011e-13,
      7.1801244513836662336e-13,  -1.7941785315068061177e-12, -1.3215811840447713118e-11,
      -3.1499165279632413645e-11, 1.1889147107846438342e-11,  4.9406023882249695891e-10,
      3.3962320257083863451e-9,   2.2666689904981780645e-8,   2.0489185894690637418e-7,
      2.8913705208347564829e-6,   6.8897583469168239842e-5,   3.3691164782556940899e-3,
      8.0449041101410883160e-1},
      one[25]{7.5172963108421048135e-18,  4.4143483230717079115e-18,  -4.6503053684893583215e-17,
              -3.2095259219934239598e-17, 2.9626289976459501387e-16,  3.3082023109209282832e-16,
              -1.8803547755107824485e-15, -3.8144030724370078047e-15, 1.0420276984128802764e-14,
              4.2724400167119513542e-14,  -2.1015418427726643130e-14, -4.0835511110921973182e-13,
              -7.1985517762459085120e-13, 2.0356285441470895072e-12,  1.4125807436613781331e-11,
              3.2526035830154882385e-11,  -1.8974958123505412345e-11, -5.5897434621965838068e-10,
              -3.8353803859642370220e-9,  -2.6314688468895195068e-8,  -2.5122362378702089252e-7,
              -3.8825648088776903934e-6,  -1.1058893876262371629e-4,  -9.7610974913614684077e-3,
              7.7857623501828012047e-1};
  static constexpr auto far(const auto& y) {
    const auto x = sub(div(32, y), 2);
    if constexpr (Order == 0)
      return chebyshev_series(x, zero);
    else
      return chebyshev_series(x, one);
  }
};
// I of the order, or exp(-|x|) times it. |x| by selection beyond 8, so that 0 is no fold.
template <int Order, bool Scaled>
struct BesselIF {
  constexpr auto operator()(const auto& x) const {
    const auto left = lt(x, 0);
    const auto size = where(left, neg(x), x);
    const auto close = le(size, 8);
    const auto v = where(close, x, 0), y = where(close, 9, size);
    const auto near = FirstKind<Order>::near(v);
    if constexpr (Scaled)
      return joined(mul(near, exp(neg(abs(v)))), div(FirstKind<Order>::far(y), sqrt(y)), close, left);
    else
      return joined(near, beyond(y), close, left);
  }

 private:
  static constexpr auto joined(const auto& near, const auto& far, const auto& close, const auto& left) {
    if constexpr (Order == 0)
      return where(close, near, far);
    else
      return where(close, near, where(left, neg(far), far));
  }
  // The derivatives as one product with exp(y): a difference of two would be infinity less infinity.
  static constexpr auto beyond(const auto& y) {
    const auto half = exp(mul(y, 0.5)), root = sqrt(y);
    const auto grown = [&](const auto& v) { return mul(mul(v, half), half); };  // exp(y) may overflow earlier
    const auto a = div(FirstKind<0>::far(y), root), b = div(FirstKind<1>::far(y), root);
    const auto ab = div(a, y), ba = div(b, y);
    const auto bend = grown(add(sub(b, ab), div(mul(ba, 2), y)));
    const auto one = by_slopes(grown(b), y, by_slopes(grown(sub(a, ba)), y, bend));
    if constexpr (Order == 0)
      return by_slopes(grown(a), y, one);
    else
      return one;
  }
};

// K_0 and K_1 of x in (0, 2], and exp(x) sqrt(x) times them beyond.
template <int Order>
struct SecondKind;
template <>
struct SecondKind<0> {
  static constexpr double a[]{1.3744654356135230715e-16, 4.2598161427966101839e-14, 1.0349695257633842016e-11,
                              1.9045163772202088602e-9,  2.5347910790261494567e-7,  2.2862121031194517860e-5,
                              1.2646154114469259233e-3,  3.5979936515361501626e-2,  3.4428989992462848688e-1,
                              -5.3532739323390276872e-1},
      b[]{5.3004337726862627614e-18,  -1.6475804301524213464e-17, 5.2103915050390275686e-17,
          -1.6782310968054121038e-16, 5.5120559785243194078e-16,  -1.8485933773437790144e-15,
          6.3400764774050706055e-15,  -2.2275133269916698554e-14, 8.0328907753635752110e-14,
          -2.9800969231727304392e-13, 1.1403405882084749630e-12,  -4.5145978833739441654e-12,
          1.8559491149547178525e-11,  -7.9574892444771074777e-11, 3.5773972814003011659e-10,
          -1.6975345093890598746e-9,  8.5740340174142260851e-9,   -4.6604898976879478295e-8,
          2.7668136394450151034e-7,   -1.8317555227191194876e-6,  1.3949813718876499366e-5,
          -1.2849549581627802638e-4,  1.5698838857300533749e-3,   -3.1448101311964500542e-2,
          2.4403030820659554546e0};
  static constexpr auto near(const auto& x) {
    return sub(chebyshev_series(sub(mul(x, x), 2), a), mul(sub(log(x), log_two), FirstKind<0>::near(x)));
  }
};
template <>
struct SecondKind<1> {
  static constexpr double a[]{
      -7.0238634793862875934e-18, -2.4274498505193659339e-15, -6.6669016941993290060e-13,
      -1.4114883926335277611e-10, -2.2133876307347258558e-8,  -2.4334061415659682349e-6,
      -1.7302889575130520630e-4,  -6.9757238596398643501e-3,  -1.2261118082265714823e-1,
      -3.5315596077654487566e-1,  1.5253002273389477705e0},
      b[]{-5.7567444836650171575e-18, 1.7940508731475592266e-17,  -5.6894625584428593519e-17,
          1.8380935443666388007e-16,  -6.0570472483733188533e-16, 2.0387031656243342405e-15,
          -7.0198370904183134614e-15, 2.4771544244813043706e-14,  -8.9767051823249943501e-14,
          3.3484196660784291988e-13,  -1.2891739609510289068e-12, 5.1396396734817302510e-12,
          -2.1299678384275684287e-11, 9.2183151876050052950e-11,  -4.1903547593418964875e-10,
          2.0150497551970328659e-9,   -1.0345762465678097026e-8,  5.7410841254500494672e-8,
          -3.5019606030878125711e-7,  2.4064849478372171201e-6,   -1.9361979741660829602e-5,
          1.9521551847135163110e-4,   -2.8578168596227793868e-3,  1.0392373657681723843e-1,
          2.7206261904844426694e0};
  static constexpr auto near(const auto& x) {
    return add(mul(sub(log(x), log_two), FirstKind<1>::near(x)),
               div(chebyshev_series(sub(mul(x, x), 2), a), x));
  }
};
// K of the order, or exp(x) times it.
template <int Order, bool Scaled>
struct BesselKF {
  constexpr auto operator()(const auto& x) const {
    using Kind = SecondKind<Order>;
    const auto outside = le(x, 0), close = le(x, 2);
    const auto v = where(bitwise_and(close, gt(x, 0)), x, 1), w = where(close, 3, x);
    const auto far = div(chebyshev_series(sub(div(8, w), 2), Kind::b), sqrt(w));
    const auto r = [&] {
      if constexpr (Scaled)
        return where(close, mul(Kind::near(v), exp(v)), far);
      else
        return where(close, Kind::near(v), mul(exp(neg(w)), far));
    }();
    return where(outside, where(eq(x, 0), infinity, nan), r);
  }
};

}  // namespace detail

// I_0, I_1; with an e times exp(-|x|).
template <class X>
requires SomeOperands<X>
constexpr auto i0(const X& x) { return detail::Composed<detail::InDouble<detail::BesselIF<0, false>>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto i0e(const X& x) { return detail::Composed<detail::InDouble<detail::BesselIF<0, true>>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto i1(const X& x) { return detail::Composed<detail::InDouble<detail::BesselIF<1, false>>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto i1e(const X& x) { return detail::Composed<detail::InDouble<detail::BesselIF<1, true>>>{}(x); }
template <class X>
requires SomeOperands<X>
constexpr auto modified_bessel_i0(const X& x) {
  return detail::Composed<detail::InDouble<detail::BesselIF<0, false>>>{}(x);
}
template <class X>
requires SomeOperands<X>
constexpr auto modified_bessel_i1(const X& x) {
  return detail::Composed<detail::InDouble<detail::BesselIF<1, false>>>{}(x);
}
// K_0, K_1 of x > 0; scaled: times exp(x).
template <class X>
requires SomeOperands<X>
constexpr auto modified_bessel_k0(const X& x) {
  return detail::Composed<detail::InDouble<detail::BesselKF<0, false>>>{}(x);
}
template <class X>
requires SomeOperands<X>
constexpr auto modified_bessel_k1(const X& x) {
  return detail::Composed<detail::InDouble<detail::BesselKF<1, false>>>{}(x);
}
template <class X>
requires SomeOperands<X>
constexpr auto scaled_modified_bessel_k0(const X& x) {
  return detail::Composed<detail::InDouble<detail::BesselKF<0, true>>>{}(x);
}
template <class X>
requires SomeOperands<X>
constexpr auto scaled_modified_bessel_k1(const X& x) {
  return detail::Composed<detail::InDouble<detail::BesselKF<1, true>>>{}(x);
}

}  // namespace WEFT_NAMESPACE
