#pragma once
// The storage types f16, bf16, f8e4m3 and f8e5m2. They hold bits and convert; arithmetic happens in float.
// Law: conversion from float rounds to nearest, ties to even, with PyTorch's results for every non-NaN input,
// and conversion to float is exact, so a value that came from a small type survives the round trip. Which
// bits a NaN becomes, a GPU decides for itself.

#include <type_traits>

#include "weft/core/config.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE {

// The bits of a float, and back. Overloaded for Simds of lanes, so that one codec serves both.
WEFT_HD_INLINE constexpr i32 to_bits(float x) { return __builtin_bit_cast(i32, x); }
WEFT_HD_INLINE constexpr float from_bits(i32 bits) { return __builtin_bit_cast(float, bits); }

// `max_code` is what a conversion gives on overflow: infinity where the format has one, else the largest
// finite number. `specials`: the top exponent is reserved for infinity and NaN.
template <int ExponentBits, int MantissaBits, i32 MaxCode, i32 NanCode, bool Specials>
struct FloatFormat {
  static constexpr int exponent_bits = ExponentBits;
  static constexpr int mantissa_bits = MantissaBits;
  static constexpr i32 max_code = MaxCode;
  static constexpr i32 nan_code = NanCode;
  static constexpr bool specials = Specials;
  static constexpr i32 sign_code = 1 << (ExponentBits + MantissaBits);
  static constexpr int shift = 23 - MantissaBits;
  static constexpr i32 rebias = (127 - ((1 << (ExponentBits - 1)) - 1)) << 23;
};
using HalfFormat = FloatFormat<5, 10, 0x7c00, 0x7e00, true>;
using E4m3Format = FloatFormat<4, 3, 0x7e, 0x7f, false>;
using E5m2Format = FloatFormat<5, 2, 0x7c, 0x7f, true>;

// x as a code of the format, in the low bits. F is float or a Simd of floats; everything is done with masks
// (an arithmetic shift of a difference by 31), so that Simds need neither comparison nor branch.
template <class Format, class F>
WEFT_HD_INLINE constexpr auto encode_float(const F& x) {
  constexpr i32 min_normal = Format::rebias + (1 << 23);
  constexpr i32 magic =
      min_normal + (Format::shift << 23);  // its unit in the last place is our subnormal step
  const auto bits = to_bits(x);
  const auto sign = (bits >> (31 - Format::exponent_bits - Format::mantissa_bits)) & Format::sign_code;
  const auto raw = bits & 0x7fffffff;
  const auto nan = (0x7f800000 - raw) >> 31;
  const auto magnitude = raw & ~nan;
  const auto small = (magnitude - min_normal) >> 31;
  const auto rebiased = magnitude - Format::rebias;
  const auto even = (rebiased >> Format::shift) & 1;
  const auto normal = (rebiased + ((1 << (Format::shift - 1)) - 1) + even) >> Format::shift;
  const auto subnormal = to_bits(from_bits(magnitude & small) + from_bits(magic)) - magic;
  const auto rounded = (subnormal & small) | (normal & ~small);
  const auto over = (Format::max_code - rounded) >> 31;
  const auto finite = (over & Format::max_code) | (rounded & ~over);
  return (nan & Format::nan_code) | (finite & ~nan) | sign;
}

// The float, or Simd of floats, that a code (an i32 or a Simd of them) stands for.
template <class Format, class I>
WEFT_HD_INLINE constexpr auto decode_float(const I& code) {
  constexpr i32 base = Format::rebias + (1 << 23);  // the smallest normal; its unit is our subnormal step
  const auto sign = (code & Format::sign_code) << (31 - Format::exponent_bits - Format::mantissa_bits);
  const auto magnitude = (code & (Format::sign_code - 1)) << Format::shift;
  const auto small = (magnitude - (1 << 23)) >> 31;
  const auto normal = magnitude + Format::rebias;
  const auto subnormal = to_bits(from_bits((magnitude & small) + base) - from_bits(base));
  const auto finite = (subnormal & small) | (normal & ~small);
  if constexpr (Format::specials) {
    constexpr i32 top_exponent = ((1 << Format::exponent_bits) - 1) << 23;
    const auto top = (top_exponent - 1 - magnitude) >> 31;
    return from_bits(sign | (finite + (top & ((255 << 23) - Format::rebias - top_exponent))));
  } else {
    const auto nan = ((Format::nan_code << Format::shift) - 1 - magnitude) >> 31;
    return from_bits(sign | finite | (nan & 0x7fc00000));
  }
}

// bfloat16 is the upper half of a float, so its codec is a rounding shift; above the code stand copies of its
// sign.
struct BfloatFormat {};
template <class Format, class F>
requires std::is_same_v<Format, BfloatFormat> WEFT_HD_INLINE constexpr auto encode_float(const F& x) {
  const auto bits = to_bits(x);
  const auto nan = (0x7f800000 - (bits & 0x7fffffff)) >> 31;
  const auto number = bits & ~nan;
  return ((number + 0x7fff + ((number >> 16) & 1)) >> 16) | (nan & 0x7fc0);
}
template <class Format, class I>
requires std::is_same_v<Format, BfloatFormat> WEFT_HD_INLINE constexpr auto decode_float(const I& code) {
  return from_bits(code << 16);
}

namespace detail {

// What GPUs have instructions for.
template <class Format>
inline constexpr bool gpu_converts =
    std::is_same_v<Format, HalfFormat> || std::is_same_v<Format, BfloatFormat>;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
template <class Format>
__device__ __forceinline__ u16 encode_on_gpu(float x) {
  u16 code;
  if constexpr (std::is_same_v<Format, BfloatFormat>)
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(code) : "f"(x));
  else
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(code) : "f"(x));
  return code;
}
// The codes of two numbers, the first in the lower half.
template <class Format>
__device__ __forceinline__ u32 encode_pair_on_gpu(float low, float high) {
  u32 codes;
  if constexpr (std::is_same_v<Format, BfloatFormat>)
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(codes) : "f"(high), "f"(low));
  else
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(codes) : "f"(high), "f"(low));
  return codes;
}
__device__ __forceinline__ float decode_half_on_gpu(u16 code) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(code));
  return x;
}
#endif

template <class Format, class Bits>
WEFT_HD_INLINE constexpr Bits encode_one(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (gpu_converts<Format>)
    if (!__builtin_is_constant_evaluated()) return encode_on_gpu<Format>(x);
#endif
  return static_cast<Bits>(encode_float<Format>(x));
}
template <class Format, class Bits>
WEFT_HD_INLINE constexpr float decode_one(Bits code) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<Format, HalfFormat>)
    if (!__builtin_is_constant_evaluated()) return decode_half_on_gpu(code);
#endif
  return decode_float<Format>(static_cast<i32>(code));
}

}  // namespace detail

// A number stored as `Bits`. Conversion from float is explicit because it rounds.
template <class FormatType, class BitsType>
struct SmallFloat {
  using Format = FormatType;
  using Bits = BitsType;
  Bits bits;

  SmallFloat() = default;
  WEFT_HD_INLINE constexpr explicit SmallFloat(float x) : bits(detail::encode_one<Format, Bits>(x)) {}
  WEFT_HD_INLINE constexpr operator float() const { return detail::decode_one<Format>(bits); }
  // The number with exactly these bits.
  static WEFT_HD_INLINE constexpr SmallFloat of_bits(Bits code) {
    SmallFloat r{};
    r.bits = code;
    return r;
  }
};

// IEEE half precision: 5 bits of exponent, 10 of mantissa.
using f16 = SmallFloat<HalfFormat, u16>;
// The upper half of an f32.
using bf16 = SmallFloat<BfloatFormat, u16>;
// No infinity: overflow gives 448, as in PyTorch 2.15 (earlier releases gave NaN).
using f8e4m3 = SmallFloat<E4m3Format, u8>;
// With infinity.
using f8e5m2 = SmallFloat<E5m2Format, u8>;

template <class T>
inline constexpr bool is_small_float = false;
template <class Format, class Bits>
inline constexpr bool is_small_float<SmallFloat<Format, Bits>> = true;

}  // namespace WEFT_NAMESPACE
