#pragma once
// sin, cos, tan and their inverses in f32, for every float. Reduction x = k pi / 2 + r is done in double up
// to 10^6; beyond, with as many bits of 2 / pi as x needs (Payne and Hanek), lane by lane and only if some
// lane does.

#include "weft/kernels/math/basic.hpp"

namespace WEFT_NAMESPACE::kernels::detail {

template <class V>
struct TrigReduction {
  int_of<V> k;  // the quadrant, modulo 4
  V r;          // |r| <= pi / 4
  V low;        // what r lacks, about 2^-25 r
};

// k and r of one number with 2^15 <= |x|, r in double; NaN for infinity and NaN.
WEFT_HD_INLINE void reduce_large(float x, i32& k, double& r) {
  // 2 / pi in words of 32 bits, after one of zeros
  const auto two_over_pi = [](int n) -> u64 {  // by choices: an array would lie in a GPU thread's memory
    return n == 0   ? 0
           : n == 1 ? 0xa2f9836e
           : n == 2 ? 0x4e441529
           : n == 3 ? 0xfc2757d1
           : n == 4 ? 0xf534ddc0
           : n == 5 ? 0xdb629599
           : n == 6 ? 0x3c439041
           : n == 7 ? 0xfe5163ab
                    : 0xdebbc561;
  };
  const i32 bits = to_bits(x) & 0x7fffffff;
  if (bits >= 0x7f800000) {
    k = 0;
    r = static_cast<double>(x - x);
    return;
  }
  const u64 mantissa = static_cast<u64>((bits & 0x7fffff) | 0x800000);
  // x = mantissa 2^e. Bits of 2 / pi worth 2^(2-e) and more give multiples of 4: the window starts after
  // them.
  const int start = (bits >> 23) - 150 - 2 + 32;
  const int word = start >> 5;
  const int shift = start & 31;
  u64 window[3];
  WEFT_UNROLL
  for (int i = 0; i < 3; ++i) {
    const u64 pair = two_over_pi(word + i) << 32 | two_over_pi(word + i + 1);
    window[i] = (pair << shift) >> 32;
  }
  const u64 product = ((mantissa * window[0]) << 32) + mantissa * window[1] + ((mantissa * window[2]) >> 32);
  const i64 fraction = static_cast<i64>(product << 2);  // of a quadrant, in units of 2^-64, to the nearest
  k = static_cast<i32>((product >> 62) + (static_cast<u64>(fraction) >> 63));
  r = static_cast<double>(fraction) * 0x1.921fb54442d18p-64;
  if (x < 0) {
    k = -k;
    r = -r;
  }
}

template <class V>
WEFT_HD_INLINE TrigReduction<V> reduce_trig(const V& x) {
  using D = rebind<V, double>;
  const D wide = convert<D>(x);
  const D shift = splat<D>(0x1.8p52);
  const D shifted = fma(wide, splat<D>(0x1.45f306dc9c883p-1), shift);
  const D k = shifted - shift;
  const D high = fma(k, splat<D>(-0x1.921fb544p+0), wide);  // exact: 33 bits times 20
  D r = fma(k, splat<D>(-0x1.0b4611a626331p-34), high);
  int_of<V> quadrant = cast_value<int_of<V>>(to_bits(shifted));
  const auto large = mask_not(absolute(x) < splat<V>(1e6f));
  if (any_lane(large)) {
    if constexpr (SimdValue<V>) {
      float from[lanes];
      double rest[lanes];
      i32 quadrants[lanes];
      __builtin_memcpy(from, &x, sizeof from);
      __builtin_memcpy(rest, &r, sizeof rest);
      __builtin_memcpy(quadrants, &quadrant, sizeof quadrants);
      for (int i = 0; i < lanes; ++i) {
        if (!(__builtin_fabsf(from[i]) < 1e6f)) reduce_large(from[i], quadrants[i], rest[i]);
      }
      __builtin_memcpy(&r, rest, sizeof rest);
      __builtin_memcpy(&quadrant, quadrants, sizeof quadrants);
    } else {
      reduce_large(x, quadrant, r);
    }
  }
  const V rounded = convert<V>(r);
  return {quadrant, rounded, convert<V>(D(r - convert<D>(rounded)))};
}

template <class V>
WEFT_HD_INLINE V sin_quarter(const V& r, const V& s) {  // r + r^3 p(r^2), relative error 2^-28
  return fma(V(r * s), polynomial(s, -0x1.555546p-3f, 0x1.11073p-7f, -0x1.99406p-13f), r);
}
template <class V>
WEFT_HD_INLINE V cos_quarter(const V& s) {  // 1 - r^2 / 2 + r^4 p(r^2), relative error 2^-33
  const V p = polynomial(s, 0x1.55554ap-5f, -0x1.6c0c28p-10f, 0x1.99e868p-16f);
  return fma(V(s * s), p, fma(s, splat<V>(-0.5f), splat<V>(1.0f)));
}

// The same for a GPU's thread: in f32 up to 10^5, since doubles are slow on most GPUs. pi / 2 is the sum of
// three floats, of which the first has few enough bits that its product with k is exact.
WEFT_HD_INLINE TrigReduction<float> reduce_narrow(float x) {
  if (!(absolute(x) < 1e5f)) {
    i32 k;
    double r;
    reduce_large(x, k, r);
    const float rounded = static_cast<float>(r);
    return {k, rounded, static_cast<float>(r - static_cast<double>(rounded))};
  }
  constexpr float shift = 0x1.8p23f;
  const float shifted = fma(x, 0x1.45f306p-1f, shift), k = shifted - shift;
  const float high = fma(k, -0x1.921fbp+0f, x);
  // high - 0x1.5110b4p-22 k as part + lost, exactly (Knuth's two-sum; the product with its own rest)
  const float product = k * 0x1.5110b4p-22f, part = high - product, back = part - high;
  const float lost = (high - (part - back)) - (product + back) - fma(k, 0x1.5110b4p-22f, -product);
  const float rest = fma(k, -0x1.84698ap-48f, lost), r = part + rest;
  return {to_bits(shifted), r, (part - r) + rest};
}
template <class V>
WEFT_HD_INLINE TrigReduction<V> reduce(const V& x) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<V, float>)
    return reduce_narrow(x);
  else
#endif
    return reduce_trig(x);
}

// sin(x + quarters pi / 2), x reduced.
template <class V>
WEFT_HD_INLINE V sin_shifted(const TrigReduction<V>& a, i32 quarters) {
  const int_of<V> k = a.k + quarters;
  const V s = a.r * a.r;
  const auto even = (k & 1) == splat<int_of<V>>(0);
  return with_sign(select(even, sin_quarter(a.r, s), cos_quarter(s)), int_of<V>((k & 2) << 30));
}
template <class V>
WEFT_HD_INLINE V sin_f32(const V& x) {
  return select(x == splat<V>(0.0f), x, sin_shifted(reduce(x), 0));  // -0 stays
}
template <class V>
WEFT_HD_INLINE V cos_f32(const V& x) {
  return sin_shifted(reduce(x), 1);
}
template <class V>
WEFT_HD_INLINE V tan_reduced(const V& x, const TrigReduction<V>& a) {
  const V s = a.r * a.r;
  // r + r^3 p(r^2), relative error 2^-29.5
  const V p = polynomial(s, 0x1.55556p-2f, 0x1.110d8p-3f, 0x1.bade46p-5f, 0x1.5c9644p-6f, 0x1.639aa2p-7f,
                         0x1.1e1924p-14f, 0x1.1f82dep-8f);
  const V t = a.r + fma(V(a.r * s), p, fma(s, a.low, a.low));
  const V y = select((a.k & 1) == splat<int_of<V>>(0), t, V(splat<V>(-1.0f) / t));
  return select(x == splat<V>(0.0f), x, y);
}
template <class V>
WEFT_HD_INLINE V tan_f32(const V& x) {
  return tan_reduced(x, reduce(x));
}

// p of asin(t) = t + t^3 p(t^2) for 0 <= t <= 1/2, relative error 2^-31.8.
template <class V>
WEFT_HD_INLINE V asin_polynomial(const V& s) {
  return polynomial(s, 0x1.55554cp-3f, 0x1.33388p-4f, 0x1.6cae4ep-5f, 0x1.049636p-5f, 0x1.d8d664p-7f,
                    0x1.3370c4p-5f);
}
inline constexpr float half_pi_high = 0x1.921fb6p+0f;
inline constexpr float half_pi_low = -0x1.777a5cp-25f;

template <class V>
WEFT_HD_INLINE V square_root(const V& x) {
  if constexpr (SimdValue<V>) {
    return sqrt_simd(x);
  } else {
    return __builtin_sqrtf(x);
  }
}

// Above 1/2, asin(t) = pi / 2 - 2 asin(z) with z = sqrt((1 - t) / 2); there z is split into w, whose square
// is exact, and the rest c, so that the subtraction does not magnify the rounding of z (as in FDLIBM's
// e_asin.c).
template <class V>
WEFT_HD_INLINE V asin_f32(const V& x) {
  const V t = absolute(x);
  const auto large = t > splat<V>(0.5f);
  const V halved = (splat<V>(1.0f) - t) * splat<V>(0.5f);
  const V z = square_root(halved);
  const V s = select(large, halved, V(t * t));
  const V p = asin_polynomial(s);
  const V w = from_bits(to_bits(z) & ~0xfff);
  const V c = (halved - w * w) / (z + w + splat<V>(1e-30f));
  const V rest = fma(V((z + z) * s), p, V(c + c - splat<V>(half_pi_low)));
  const V quarter = splat<V>(half_pi_high / 2);
  const V reflected = quarter - (rest - (quarter - (w + w)));
  return with_sign(select(large, reflected, fma(V(t * s), p, t)), sign_bit(x));
}
template <class V>
WEFT_HD_INLINE V acos_f32(const V& x) {
  const V t = absolute(x);
  const auto large = t > splat<V>(0.5f);
  const V halved = (splat<V>(1.0f) - t) * splat<V>(0.5f);
  const V s = select(large, halved, V(t * t));
  const V z = select(large, square_root(halved), t);
  const V y = fma(V(z * s), asin_polynomial(s), z);
  const V twice = y + y;
  const V negative = splat<V>(2 * half_pi_high) - (twice - splat<V>(2 * half_pi_low));
  const V middle = splat<V>(half_pi_high) - (with_sign(y, sign_bit(x)) - splat<V>(half_pi_low));
  return select(large, select(x < splat<V>(0.0f), negative, twice), middle);
}

// atan(t) for 0 <= t <= 1: t + t^3 p(t^2), relative error 2^-28.5.
template <class V>
WEFT_HD_INLINE V atan_unit(const V& t) {
  const V s = t * t;
  const V p = polynomial(s, -0x1.55553ep-2f, 0x1.9991fep-3f, -0x1.2421b4p-3f, 0x1.c099f2p-4f, -0x1.58346cp-4f,
                         0x1.dac964p-5f, -0x1.fed064p-6f, 0x1.65a54ep-7f, -0x1.d62e0cp-10f);
  return fma(V(t * s), p, t);
}
template <class V>
WEFT_HD_INLINE V atan_f32(const V& x) {
  const V t = absolute(x);
  const auto large = t > splat<V>(1.0f);
  const V y = atan_unit(select(large, V(splat<V>(1.0f) / t), t));
  const V reflected = splat<V>(half_pi_high) - (y - splat<V>(half_pi_low));
  return with_sign(select(large, reflected, y), sign_bit(x));
}
template <class V>
WEFT_HD_INLINE V atan2_f32(const V& y, const V& x) {
  const V a = absolute(y), b = absolute(x);
  const auto steep = a > b;
  const V small = select(steep, b, a), large = select(steep, a, b);
  const V ratio = select(small == large, splat<V>(1.0f), V(small / large));  // also for infinities
  const V t = atan_unit(select(large == splat<V>(0.0f), large, ratio));
  const V first = select(steep, V(splat<V>(half_pi_high) - (t - splat<V>(half_pi_low))), t);
  const V second = splat<V>(2 * half_pi_high) - (first - splat<V>(2 * half_pi_low));
  const V angle = select(sign_bit(x) == splat<int_of<V>>(0), first, second);
  return select(mask_or(x != x, y != y), V(x + y), with_sign(angle, sign_bit(y)));
}

}  // namespace WEFT_NAMESPACE::kernels::detail
