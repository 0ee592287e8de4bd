#pragma once
// What every function in this folder is made of: polynomials, signs, rounding to integers, scaling by powers
// of two. V is float or Simd<float>. Law: a product whose sum must round in one way goes through fma, so
// results do not depend on whether the compiler contracts expressions.

#include "weft/kernels/simd/convert.hpp"
#include "weft/kernels/simd/intrinsics.hpp"
#include "weft/kernels/simd/load_store.hpp"
#include "weft/kernels/simd/simd.hpp"

namespace WEFT_NAMESPACE::kernels::detail {

template <class V>
using int_of = rebind<V, i32>;

// c[0] + x (c[1] + x (c[2] + ...)).
template <class V>
WEFT_HD_INLINE V polynomial(const V&, lane_of<V> c0) {
  return splat<V>(c0);
}
template <class V, class... C>
WEFT_HD_INLINE V polynomial(const V& x, lane_of<V> c0, lane_of<V> c1, C... more) {
  return fma(polynomial(x, c1, more...), x, splat<V>(c0));
}

template <class V>
WEFT_HD_INLINE V absolute(const V& x) {
  return from_bits(to_bits(x) & 0x7fffffff);
}
template <class V>
WEFT_HD_INLINE int_of<V> sign_bit(const V& x) {
  return to_bits(x) & static_cast<i32>(0x80000000u);
}
// The magnitude of x, which must not be negative, with the given sign bit; and x negated where it is set.
template <class V, class I>
WEFT_HD_INLINE V with_sign(const V& x, const I& sign) {
  return from_bits(to_bits(x) ^ sign);
}

template <class V>
WEFT_HD_INLINE V clamp(const V& x, float low, float high) {  // NaN stays
  if constexpr (SimdValue<V>) {
    const auto most = fill_part<float>(high), least = fill_part<float>(low);
    V r;
    WEFT_EACH_PART(V, r.part[j] = greater_part(least, lesser_part(most, x.part[j])))
    return r;
  } else {
    const V capped = select(x > splat<V>(high), splat<V>(high), x);
    return select(capped < splat<V>(low), splat<V>(low), capped);
  }
}

// Adding and subtracting this rounds |x| < 2^22 to the nearest integer, which is also in the sum's low bits.
inline constexpr float rounding_shift = 12582912.0f;
inline constexpr i32 rounding_shift_bits = 0x4b400000;

// x * 2^k for -252 <= k <= 254, rounded once: the first factor leaves the result normal.
template <class V>
WEFT_HD_INLINE V scale_by_power(const V& x, const int_of<V>& k) {
#if !defined(__CUDA_ARCH__)
  if constexpr (SimdValue<V> && has_scale_intrinsics) {
    const V power = convert<V>(k);
    V r;
    WEFT_EACH_PART(V, r.part[j] = scale_part(x.part[j], power.part[j]))
    return r;
  }
#endif
  const int_of<V> halved = k >> 1;
  return x * from_bits((halved + 127) << 23) * from_bits((k - halved + 127) << 23);
}

// To the nearest integer, ties to even; the sign of zero is kept.
template <class V>
WEFT_HD_INLINE V round_f32(const V& x) {
  const V magnitude = absolute(x);
  const V shift = splat<V>(8388608.0f);
  const V rounded = with_sign(V((magnitude + shift) - shift), sign_bit(x));
  return select(magnitude < shift, rounded, x);  // larger numbers, infinity and NaN are as they should be
}
template <class V>
WEFT_HD_INLINE V floor_f32(const V& x) {
  const V rounded = round_f32(x);
  const V lower = rounded - splat<V>(1.0f);
  return select(rounded > x, lower, rounded);
}
template <class V>
WEFT_HD_INLINE V ceil_f32(const V& x) {
  const V rounded = round_f32(x);
  const V higher = with_sign(absolute(V(rounded + splat<V>(1.0f))), sign_bit(x));  // -0.5 gives -0
  return select(rounded < x, higher, rounded);
}
template <class V>
WEFT_HD_INLINE V trunc_f32(const V& x) {
  return with_sign(floor_f32(absolute(x)), sign_bit(x));
}

// Whether any lane of the mask is set.
WEFT_HD_INLINE bool any_lane(bool mask) { return mask; }
template <class T>
WEFT_HD_INLINE bool any_lane(const Simd<T>& mask) {
  return reduce(mask, [](const auto& a, const auto& b) { return a | b; }) != 0;
}

}  // namespace WEFT_NAMESPACE::kernels::detail
