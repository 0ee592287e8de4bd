#pragma once
// Bessel functions of the first and second kind, of order 0 and 1: torch.special.bessel_j0, bessel_j1,
// bessel_y0, bessel_y1, spherical_bessel_j0. Computed in f64 and rounded once, by the approximations of
// Moshier's Cephes library: rational up to 5, Hankel's form beyond. (PyTorch leaves out the leading terms of
// their denominators and is off by up to 4e-4.)

#include "weft/ops/math/rational.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

// sqrt(2 / (pi x)) (P cos(x - t) - 5 / x Q sin(x - t)), or with sin and -cos of the second kind; x > 5, t is
// pi / 4, of order 1 three times that. P and Q are quotients in (5 / x)^2.
template <bool Second, bool First, int A, int B, int C, int D>
constexpr auto hankel(const auto& x, const double (&pp)[A], const double (&pq)[B], const double (&qp)[C],
                      const double (&qq)[D]) {
  const auto w = div(5, x);
  const auto z = mul(w, w);
  const auto p = div(polynomial(z, pp), polynomial(z, pq)), q = mul(w, div(polynomial(z, qp), monic(z, qq)));
  // x - pi / 4 would be rounded, its sine is not: (sin x - cos x) / sqrt(2). x - 3 pi / 4 is a right angle
  // less.
  const auto sine = sin(x), cosine = cos(x);
  const auto sum = add(sine, cosine), difference = sub(sine, cosine);
  const auto wave = [&] {
    if constexpr (Second && First)
      return sub(mul(q, difference), mul(p, sum));
    else if constexpr (Second)
      return add(mul(p, difference), mul(q, sum));
    else if constexpr (First)
      return add(mul(p, difference), mul(q, sum));
    else
      return sub(mul(p, sum), mul(q, difference));
  }();
  return mul(wave, div(0.56418958354775628695, sqrt(x)));
}
struct Order0 {
  static constexpr double pp[]{7.9693672929734705162e-4, 8.2835239210744079980e-2, 1.2395337164641429938e0,
                               5.4472500305876877509e0,  8.7471650019981701194e0,  5.3032403823539489218e0,
                               9.9999999999999999782e-1},
      pq[]{9.2440881055886363701e-4, 8.5628847435447443142e-2, 1.2535274390105895353e0,
           5.4709774033041710518e0,  8.7619088323706959423e0,  5.3060528823539461761e0,
           1.0000000000000000021e0},
      qp[]{-1.1366383889846914993e-2, -1.2825271867050931851e0, -1.9553954425773597238e1,
           -9.3206015212376823136e1,  -1.7768116798048805059e2, -1.4707750515495117017e2,
           -5.1410532676659933022e1,  -6.0501435060072848118e0},
      qq[]{6.4317825611817802318e1, 8.5643002597698058719e2, 3.8824018360540160968e3, 7.2404677419565247818e3,
           5.9307270118731698482e3, 2.0620933166032784741e3, 2.4200574024029139317e2},
      rp[]{-4.7944322097820177382e9, 1.9561749194655657754e12, -2.4924834436096771620e14,
           9.7086225104730632395e15},
      rq[]{4.9956314715265101721e2,  1.7378540167637468312e5,  4.8440965833996204530e7,
           1.1185553704535683486e10, 2.1127752011548921758e12, 3.1051822985742258381e14,
           3.1812195594320494330e16, 1.7108629408104313609e18},
      yp[]{1.5592436785523573796e4,   -1.4663929590397160614e7, 5.4352647705187650041e9,
           -9.8213606571791146640e11, 8.7590639439536699954e13, -3.4662830338472971944e15,
           4.4273326857256980035e16,  -1.8495080043698669063e16},
      yq[]{1.0412835366425984841e3,  6.2610733013713495684e5,  2.6891963339381412198e8,
           8.6400248710393500033e10, 2.0297961275010554670e13, 3.1715775284297502826e15,
           2.5059625617265305922e17};
  static constexpr bool first = false;
  // Of x in [-5, 5]: both zeros there as factors.
  static constexpr auto near(const auto& x) {
    const auto z = mul(x, x);
    return mul(mul(sub(z, 5.78318596294678452118), sub(z, 30.4712623436620863991)),
               div(polynomial(z, rp), monic(z, rq)));
  }
  // Of x in (0, 5].
  static constexpr auto near_second(const auto& x) {
    const auto z = mul(x, x);
    return add(div(polynomial(z, yp), monic(z, yq)), mul(mul(log(x), 0.63661977236758134308), near(x)));
  }
};
struct Order1 {
  static constexpr double pp[]{7.6212561620817311200e-4, 7.3139705694091757043e-2, 1.1271960812968492519e0,
                               5.1120795114680764481e0,  8.4240459014177242092e0,  5.2145159868236150406e0,
                               1.0000000000000000025e0},
      pq[]{5.7132312807254869971e-4, 6.8845590875449540408e-2, 1.1051423263406169692e0,
           5.0738638612860148855e0,  8.3998555432760415975e0,  5.2098284868236182161e0,
           9.9999999999999999746e-1},
      qp[]{5.1086259475017662163e-2, 4.9821387295123344942e0, 7.5823828413254528381e1,
           3.6677960936015077780e2,  7.1085630499892610727e2, 5.9748961240061363996e2,
           2.1168875710057213569e2,  2.5207020585802371978e1},
      qq[]{7.4237327703567514994e1, 1.0564488603826281635e3, 4.9864105833765360765e3, 9.5623189240475617079e3,
           7.9970416044735068365e3, 2.8261927851763909660e3, 3.3609360781069829341e2},
      rp[]{-8.9997122570555939822e8, 4.5222829799819403432e11, -7.2749424522181827601e13,
           3.6829573286385288328e15},
      rq[]{6.2083647811805433547e2,  2.5698725675774883038e5,  8.3514679143194925303e7,
           2.2151159547979249967e10, 4.7491412207999141489e12, 7.8436960787623585489e14,
           8.9522233618462733807e16, 5.3227862033268008539e18},
      yp[]{1.2632047479017802644e9,   -6.4735587637916029103e11, 1.1450951154182372758e14,
           -8.1277025550132510962e15, 2.0243947571359489819e17,  -7.7887719626595002682e17},
      yq[]{5.9430159234612819535e2,  2.3556409294306857794e5,  7.3481194445972170566e7,
           1.8760131610870615947e10, 3.8823127749623856600e12, 6.2055772714695369336e14,
           6.8714108735530048986e16, 3.9727060811656065561e18};
  static constexpr bool first = true;
  static constexpr auto near(const auto& x) {
    const auto z = mul(x, x);
    return mul(mul(mul(div(polynomial(z, rp), monic(z, rq)), x), sub(z, 14.6819706421238932572)),
               sub(z, 49.2184563216946036703));
  }
  static constexpr auto near_second(const auto& x) {
    const auto z = mul(x, x);
    const auto r = mul(x, div(polynomial(z, yp), monic(z, yq)));
    return add(r, mul(sub(mul(near(x), log(x)), div(1, x)), 0.63661977236758134308));
  }
};

template <class Order>
struct BesselJF {
  constexpr auto operator()(const auto& x) const {
    const auto left = lt(x, 0);
    const auto size = where(left, neg(x), x);
    const auto close = le(size, 5);
    const auto far =
        hankel<false, Order::first>(where(close, 6, size), Order::pp, Order::pq, Order::qp, Order::qq);
    const auto right = [&] {
      if constexpr (std::is_same_v<Order, Order0>)
        return far;
      else
        return where(left, neg(far), far);
    }();
    return where(close, Order::near(where(close, x, 1)), right);
  }
};
template <class Order>
struct BesselYF {
  constexpr auto operator()(const auto& x) const {
    const auto close = bitwise_and(gt(x, 0), le(x, 5)), outside = le(x, 0);
    const auto far =
        hankel<true, Order::first>(where(le(x, 5), 6, x), Order::pp, Order::pq, Order::qp, Order::qq);
    const auto r = where(close, Order::near_second(where(close, x, 1)), far);
    return where(outside, where(eq(x, 0), -infinity, nan), r);
  }
};
// sin(x) / x, by its series near 0.
struct SphericalJ0F {
  constexpr auto operator()(const auto& x) const {
    const auto close = bitwise_and(lt(x, 0.5), gt(x, -0.5));
    const auto z = where(close, mul(x, x), 0), v = where(close, 1, x);
    constexpr double series[]{
        1.0 / 6227020800.0, -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1};
    const auto finite = isfinite(v);
    const auto w = where(finite, v, 1);
    const auto wave = where(finite, div(sin(w), w), 0);
    return where(close, polynomial(z, series), where(isnan(x), x, wave));
  }
};

}  // namespace detail

template <class X>
requires SomeOperands<X>
constexpr auto bessel_j0(const X& x) {
  return detail::Composed<detail::InDouble<detail::BesselJF<detail::Order0>>>{}(x);
}
template <class X>
requires SomeOperands<X>
constexpr auto bessel_j1(const X& x) {
  return detail::Composed<detail::InDouble<detail::BesselJF<detail::Order1>>>{}(x);
}
template <class X>
requires SomeOperands<X>
constexpr auto bessel_y0(const X& x) {
  return detail::Composed<detail::InDouble<detail::BesselYF<detail::Order0>>>{}(x);
}
template <class X>
requires SomeOperands<X>
constexpr auto bessel_y1(const X& x) {
  return detail::Composed<detail::InDouble<detail::BesselYF<detail::Order1>>>{}(x);
}
template <class X>
requires SomeOperands<X>
constexpr auto spherical_bessel_j0(const X& x) {
  return detail::Composed<detail::InDouble<detail::SphericalJ0F>>{}(x);
}

}  // namespace WEFT_NAMESPACE
