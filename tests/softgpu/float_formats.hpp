#pragma once
// Floats of 16 bits, and TF32's ten bits of mantissa.

#include <bit>

#include "softgpu/types.hpp"

namespace softgpu {

inline float from_bf16(u16 x) { return std::bit_cast<float>(u32{x} << 16); }
inline float from_f16(u16 x) { return static_cast<float>(std::bit_cast<_Float16>(x)); }

// Rounded to the nearest, ties to even.
inline u16 to_bf16(float x) {
  const u32 bits = std::bit_cast<u32>(x);
  return static_cast<u16>(x != x ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
inline u16 to_f16(float x) { return x != x ? u16{0x7fff} : std::bit_cast<u16>(static_cast<_Float16>(x)); }

// A matrix unit looks at no more of an f32.
inline float truncated_to_tf32(float x) { return std::bit_cast<float>(std::bit_cast<u32>(x) & ~0x1fffu); }
// Rounded to the nearest, ties away from zero.
inline float rounded_to_tf32(float x) {
  if (x != x) return std::bit_cast<float>(0x7fffffffu);
  return truncated_to_tf32(std::bit_cast<float>(std::bit_cast<u32>(x) + 0x1000));
}

}  // namespace softgpu
