#pragma once
// exp, exp2, expm1 and the hyperbolic functions in f32. Reduction x = k ln 2 + r with |r| <= ln 2 / 2 (Cody
// and Waite); polynomials are minimax fits of the remaining factor, their errors beside them.

#include "weft/kernels/math/basic.hpp"

namespace WEFT_NAMESPACE::kernels::detail {

// k and r of the reduction, for |x| < 2^20.
template <class V>
struct ExpReduction {
  int_of<V> k;
  V r;
};
template <class V>
WEFT_HD_INLINE ExpReduction<V> reduce_exp(const V& x) {
  const V shifted = fma(x, splat<V>(0x1.715476p+0f), splat<V>(rounding_shift));
  const V k = shifted - splat<V>(rounding_shift);
  const V high = fma(k, splat<V>(-0.693359375f), x);  // exact: the constant has 9 bits
  return {to_bits(shifted) - rounding_shift_bits, fma(k, splat<V>(2.12194440e-4f), high)};
}

// e^r for |r| <= ln 2 / 2.
template <class V>
WEFT_HD_INLINE V exp_reduced(const V& r) {
  // e^r = 1 + r + r^2 q(r), relative error 2^-28.3
  const V q = polynomial(r, 0x1.fffffcp-2f, 0x1.55549p-3f, 0x1.5558fcp-5f, 0x1.123b6ap-7f, 0x1.6a21a8p-10f);
  return fma(V(r * r), q, r) + splat<V>(1.0f);
}

// 2^bias e^x; the bias avoids an early overflow in sinh and cosh.
template <class V>
WEFT_HD_INLINE V exp_scaled(const V& x, i32 bias) {
  const ExpReduction<V> e = reduce_exp(clamp(x, -105.0f, 90.0f));
  return scale_by_power(exp_reduced(e.r), int_of<V>(e.k + bias));
}
template <class V>
WEFT_HD_INLINE V exp_f32(const V& x) {
  return exp_scaled(x, 0);
}

template <class V>
WEFT_HD_INLINE V exp2_f32(const V& x) {
  const V clamped = clamp(x, -151.0f, 129.0f);
  const V shifted = clamped + splat<V>(rounding_shift);
  const V r = clamped - (shifted - splat<V>(rounding_shift));
  // 2^r = 1 + r p(r), relative error 2^-34
  const V p = polynomial(r, 0x1.62e43p-1f, 0x1.ebfbep-3f, 0x1.c6b08ap-5f, 0x1.3b29f2p-7f, 0x1.5d8a8cp-10f,
                         0x1.445ddep-13f, 0x1.fde40ap-17f);
  return scale_by_power(fma(p, r, splat<V>(1.0f)), int_of<V>(to_bits(shifted) - rounding_shift_bits));
}

// 2^k (e^r - 1) + (2^k - 1), with 2^(k-1) for 2^k so that k = 128 does not overflow.
template <class V>
WEFT_HD_INLINE V expm1_f32(const V& x) {
  const ExpReduction<V> e = reduce_exp(clamp(x, -18.0f, 89.0f));
  // e^r - 1 = r + r^2 q(r), relative error 2^-32
  const V q =
      polynomial(e.r, 0.5f, 0x1.555554p-3f, 0x1.5554bp-5f, 0x1.11118ap-7f, 0x1.6d73cp-10f, 0x1.a032dap-13f);
  const V small = fma(V(e.r * e.r), q, e.r);
  const V power = from_bits((e.k + 126) << 23);
  const V result = fma(power, small, power - splat<V>(0.5f)) * splat<V>(2.0f);
  return select(absolute(x) < splat<V>(0x1p-25f), x, result);
}

template <class V>
WEFT_HD_INLINE V sinh_f32(const V& x) {
  const V t = absolute(x);
  const V s = t * t;
  const V half_exp = exp_scaled(t, -1);
  const V large = half_exp - splat<V>(0.25f) / half_exp;
  // x + x^3 p(x^2) for |x| < 1, relative error 2^-34
  const V p = polynomial(s, 0x1.555556p-3f, 0x1.111134p-7f, 0x1.9ffe92p-13f, 0x1.7a15b6p-19f);
  const V small = fma(V(t * s), p, t);
  return with_sign(select(t < splat<V>(1.0f), small, large), sign_bit(x));
}
template <class V>
WEFT_HD_INLINE V cosh_f32(const V& x) {
  const V half_exp = exp_scaled(absolute(x), -1);
  return half_exp + splat<V>(0.25f) / half_exp;
}
template <class V>
WEFT_HD_INLINE V tanh_f32(const V& x) {
  const V t = absolute(x);
  const V s = t * t;
  const V large = splat<V>(1.0f) - splat<V>(2.0f) / (exp_scaled(V(t + t), 0) + splat<V>(1.0f));
  // x + x^3 p(x^2) for |x| < 0.625, relative error 2^-32.6
  const V p = polynomial(s, -0x1.555554p-2f, 0x1.111066p-3f, -0x1.b9ee82p-5f, 0x1.638ac2p-6f, -0x1.0bf1fcp-7f,
                         0x1.18d686p-9f);
  const V small = fma(V(t * s), p, t);
  return with_sign(select(t < splat<V>(0.625f), small, large), sign_bit(x));
}

}  // namespace WEFT_NAMESPACE::kernels::detail
