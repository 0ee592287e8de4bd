#pragma once
// The few machine instructions that portable vector code cannot express: fused multiply-add, square root and
// half-precision conversion of one part of a Pack. Law: each is correctly rounded (conversions: to nearest,
// ties to even), so it gives the same bits as its scalar definition.

#include "weft/core/config.hpp"
#include "weft/core/types.hpp"
#include "weft/kernels/pack.hpp"

namespace weft::kernels {

// Whether fma(a, b, c) rounds once. Where the host has no such instruction it is a product and a sum.
#if defined(__CUDA_ARCH__) || defined(__FMA__)
inline constexpr bool fma_is_fused = true;
#else
inline constexpr bool fma_is_fused = false;
#endif

// a * b + c, the only contraction in weft's arithmetic: rounded once where fma_is_fused, else twice.
WEFT_HD_INLINE float fma(float a, float b, float c) {
  if constexpr (fma_is_fused) {
    return __builtin_fmaf(a, b, c);
  } else {
    return a * b + c;
  }
}
WEFT_HD_INLINE double fma(double a, double b, double c) {
  if constexpr (fma_is_fused) {
    return __builtin_fma(a, b, c);
  } else {
    return a * b + c;
  }
}

namespace detail {

using FloatPart = Pack<float>::Part;
using DoublePart = Pack<double>::Part;

#if defined(__CUDA_ARCH__)
inline constexpr bool has_native_half = false;
WEFT_HD_INLINE float fma_part(float a, float b, float c) { return fma(a, b, c); }
WEFT_HD_INLINE double fma_part(double a, double b, double c) { return fma(a, b, c); }
WEFT_HD_INLINE float sqrt_part(float x) { return __builtin_sqrtf(x); }
#else

using HalfPart = VectorOf<i16, Pack<float>::width>::type;

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
static_assert(sizeof(FloatPart) == 64);
inline constexpr bool has_native_half = true;
inline constexpr int current_rounding = 4;
inline constexpr u8 all_double_lanes = 0xff;
// nvcc's front end gives this mask parameter another sign than g++ and clang do.
#if defined(__CUDACC__)
inline constexpr i16 all_lanes = -1;
#else
inline constexpr u16 all_lanes = 0xffff;
#endif
WEFT_INLINE FloatPart fma_part(const FloatPart& a, const FloatPart& b, const FloatPart& c) {
  return __builtin_ia32_vfmaddps512_mask(a, b, c, all_lanes, current_rounding);
}
WEFT_INLINE DoublePart fma_part(const DoublePart& a, const DoublePart& b, const DoublePart& c) {
  return __builtin_ia32_vfmaddpd512_mask(a, b, c, all_double_lanes, current_rounding);
}
WEFT_INLINE FloatPart sqrt_part(const FloatPart& x) {
#if defined(__clang__)
  return __builtin_ia32_sqrtps512(x, current_rounding);
#else
  return __builtin_ia32_sqrtps512_mask(x, x, all_lanes, current_rounding);
#endif
}
WEFT_INLINE HalfPart half_from_float(const FloatPart& x) {
  return __builtin_ia32_vcvtps2ph512_mask(x, 0, HalfPart{}, u16{0xffff});
}
WEFT_INLINE FloatPart float_from_half(const HalfPart& x) {
  return __builtin_ia32_vcvtph2ps512_mask(x, FloatPart{}, all_lanes, current_rounding);
}
#elif defined(__AVX2__)
static_assert(sizeof(FloatPart) == 32);
WEFT_INLINE FloatPart sqrt_part(const FloatPart& x) { return __builtin_ia32_sqrtps256(x); }
#if defined(__FMA__)
WEFT_INLINE FloatPart fma_part(const FloatPart& a, const FloatPart& b, const FloatPart& c) {
  return __builtin_ia32_vfmaddps256(a, b, c);
}
WEFT_INLINE DoublePart fma_part(const DoublePart& a, const DoublePart& b, const DoublePart& c) {
  return __builtin_ia32_vfmaddpd256(a, b, c);
}
#endif
#if defined(__F16C__)
inline constexpr bool has_native_half = true;
WEFT_INLINE HalfPart half_from_float(const FloatPart& x) { return __builtin_ia32_vcvtps2ph256(x, 0); }
WEFT_INLINE FloatPart float_from_half(const HalfPart& x) { return __builtin_ia32_vcvtph2ps256(x); }
#else
inline constexpr bool has_native_half = false;
#endif
#else
static_assert(sizeof(FloatPart) == 16);
inline constexpr bool has_native_half = false;
#if defined(__SSE__)
WEFT_INLINE FloatPart sqrt_part(const FloatPart& x) { return __builtin_ia32_sqrtps(x); }
#else
WEFT_INLINE FloatPart sqrt_part(const FloatPart& x) {
  FloatPart r;
  for (int i = 0; i < Pack<float>::width; ++i) r[i] = __builtin_sqrtf(x[i]);
  return r;
}
#endif
#if defined(__FMA__)
WEFT_INLINE FloatPart fma_part(const FloatPart& a, const FloatPart& b, const FloatPart& c) {
  return __builtin_ia32_vfmaddps(a, b, c);
}
WEFT_INLINE DoublePart fma_part(const DoublePart& a, const DoublePart& b, const DoublePart& c) {
  return __builtin_ia32_vfmaddpd(a, b, c);
}
#endif
#endif
#if !defined(__FMA__)
WEFT_INLINE FloatPart fma_part(const FloatPart& a, const FloatPart& b, const FloatPart& c) {
  return a * b + c;
}
WEFT_INLINE DoublePart fma_part(const DoublePart& a, const DoublePart& b, const DoublePart& c) {
  return a * b + c;
}
#endif
#endif

}  // namespace detail

WEFT_HD_INLINE Pack<float> fma(const Pack<float>& a, const Pack<float>& b, const Pack<float>& c) {
  return detail::make_pack<float>([&](int j) { return detail::fma_part(a.part[j], b.part[j], c.part[j]); });
}
WEFT_HD_INLINE Pack<double> fma(const Pack<double>& a, const Pack<double>& b, const Pack<double>& c) {
  return detail::make_pack<double>([&](int j) { return detail::fma_part(a.part[j], b.part[j], c.part[j]); });
}

namespace detail {
WEFT_HD_INLINE Pack<float> sqrt_pack(const Pack<float>& x) {
  return make_pack<float>([&](int j) { return sqrt_part(x.part[j]); });
}
}  // namespace detail

}  // namespace weft::kernels
