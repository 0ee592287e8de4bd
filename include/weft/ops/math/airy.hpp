#pragma once
// Airy's function: torch.special.airy_ai. Computed in f64 and rounded once; the approximations are those of
// Moshier's Cephes library.

#include "weft/ops/math/rational.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

struct AiryF {
  static constexpr double an[]{3.4653810152562903247e-1, 1.2007595273964580554e1, 7.6279605361523451653e1,
                               1.6808922493463057626e2,  1.5975639135016441363e2, 7.0536090684044418311e1,
                               1.4026469116338966886e1,  9.9999999999999999530e-1},
      ad[]{5.6759453263877021284e-1, 1.4756256258484720317e1, 8.4513897014147462656e1,
           1.7731808814540045952e2,  1.6423469287152970183e2, 7.1477840082557569527e1,
           1.4095913560783402959e1,  1.0000000000000000047e0},
      afn[]{-1.3169632341833179533e-1, -6.2645654443191236977e-1, -6.9315803603693354223e-1,
            -2.7977998154511912495e-1, -4.9190013260950031802e-2, -4.0626592359488540439e-3,
            -1.5927649623926209634e-4, -2.7764910815523292084e-6, -1.6778769848911463378e-8},
      afd[]{1.3356042070655324374e1,  3.2682503279522461394e1,  2.6736704094149955480e1,
            9.1870740290725962584e0,  1.4752914677166641458e0,  1.1568717379518804413e-1,
            4.4029164161521120380e-3, 7.5472034828741429661e-5, 4.5185009297058037846e-7},
      agn[]{1.9733993209168567917e-2, 3.9110302961568827725e-1, 1.0657989759959559110e0,
            9.3916922981665023004e-1, 3.5146565610554761924e-1, 6.3388891962892549092e-2,
            5.8580411304838845856e-3, 2.8285160083673701977e-4, 6.9879366999726096729e-6,
            8.1178923955438929331e-8, 3.4155178476592361848e-10},
      agd[]{9.3089290807744197485e0,  1.9835292871831214041e1,  1.5564662893286461295e1,
            5.4768606942297549793e0,  9.5429361161896188399e-1, 8.6458082635239219309e-2,
            4.1265652382422260719e-3, 1.0125908511650913551e-4, 1.1716673321441352188e-6,
            4.9183457006293001564e-9};
  // Coefficients of the two power series in x^3, the highest first: each term is the one before over (n + 2 +
  // s) (n + 3 + s), n = 0, 3, 6, ...
  static constexpr int terms = 16;
  struct Series {
    double c[terms]{};
  };
  static constexpr Series series(int s) {
    Series r;
    double term = 1;
    for (int k = 0; k < terms; ++k) {
      r.c[terms - 1 - k] = term;
      term /= static_cast<double>(3 * k + 2 + s) * static_cast<double>(3 * k + 3 + s);
    }
    return r;
  }

  constexpr auto operator()(const auto& x) const {
    constexpr double root = 0.56418958354775628695;  // 1 / sqrt(pi)
    constexpr Series f = series(0), g = series(1);
    const auto low = lt(x, -2.09), high = ge(x, 2.09);
    const auto close = bitwise_and(logical_not(low), logical_not(high));
    const auto v = where(close, x, 0);
    const auto cube = mul(mul(v, v), v);
    const auto middle = sub(mul(polynomial(cube, f.c), 0.355028053887817239260),
                            mul(mul(v, polynomial(cube, g.c)), 0.258819403792806798405));
    // decaying on the right
    const auto right = where(bitwise_and(high, le(x, 104)), x, 3);
    const auto s = sqrt(right);
    const auto zeta = div(mul(mul(right, s), 2), 3);
    const auto w = div(1, zeta);
    const auto decay =
        mul(div(mul(div(polynomial(w, an), polynomial(w, ad)), root), mul(sqrt(s), 2)), exp(neg(zeta)));
    // waves on the left
    const auto left = where(low, neg(x), 3);
    const auto t = sqrt(left);
    const auto angle = div(mul(mul(left, t), 2), 3);
    const auto z = div(1, angle);
    const auto zz = mul(z, z), turned = add(angle, 0.78539816339744830962);
    const auto even = add(mul(zz, div(polynomial(zz, afn), monic(zz, afd))), 1);
    const auto odd = mul(z, div(polynomial(zz, agn), monic(zz, agd)));
    const auto waves = mul(div(root, sqrt(t)), sub(mul(sin(turned), even), mul(cos(turned), odd)));
    return where(low, waves, where(high, where(gt(x, 104), 0, decay), where(isnan(x), x, middle)));
  }
};

}  // namespace detail

// Ai(x)
template <class X>
requires SomeOperands<X>
constexpr auto airy_ai(const X& x) { return detail::Composed<detail::InDouble<detail::AiryF>>{}(x); }

}  // namespace WEFT_NAMESPACE
