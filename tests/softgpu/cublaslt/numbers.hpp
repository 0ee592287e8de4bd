#pragma once
// Elements of matrices to and from f32 and f64, rounded to nearest even.

#include <library_types.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "softgpu/float_formats.hpp"
#include "softgpu/types.hpp"

namespace softgpu::lt {

// 1 sign, 4 exponent, 3 mantissa bits; no infinity, 0x7f is no number.
inline float from_e4m3(u8 x) {
  const int exponent = x >> 3 & 15, mantissa = x & 7;
  const float magnitude = exponent == 15 && mantissa == 7 ? NAN
                          : exponent == 0                 ? std::ldexp(static_cast<float>(mantissa), -9)
                                          : std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
  return (x & 128) != 0 ? -magnitude : magnitude;
}

// TF32 keeps ten bits of mantissa.
inline float to_tf32(float x) {
  if (!std::isfinite(x)) return x;
  return std::bit_cast<float>((std::bit_cast<u32>(x) + 0xfff + (std::bit_cast<u32>(x) >> 13 & 1)) & ~0x1fffu);
}

inline double read(const std::byte* at, cudaDataType_t type) {
  switch (type) {
    case CUDA_R_64F: {
      double x;
      std::memcpy(&x, at, sizeof x);
      return x;
    }
    case CUDA_R_32F: {
      float x;
      std::memcpy(&x, at, sizeof x);
      return static_cast<double>(x);
    }
    case CUDA_R_16F: {
      u16 x;
      std::memcpy(&x, at, sizeof x);
      return static_cast<double>(from_f16(x));
    }
    case CUDA_R_16BF: {
      u16 x;
      std::memcpy(&x, at, sizeof x);
      return static_cast<double>(from_bf16(x));
    }
    default:
      return static_cast<double>(from_e4m3(static_cast<u8>(*at)));
  }
}

inline void write(std::byte* at, cudaDataType_t type, double x) {
  const auto narrow = static_cast<float>(x);
  if (type == CUDA_R_64F) {
    std::memcpy(at, &x, sizeof x);
  } else if (type == CUDA_R_32F) {
    std::memcpy(at, &narrow, sizeof narrow);
  } else if (type == CUDA_R_16F) {
    const u16 half = to_f16(narrow);
    std::memcpy(at, &half, sizeof half);
  } else {
    const u16 upper = to_bf16(narrow);
    std::memcpy(at, &upper, sizeof upper);
  }
}

}  // namespace softgpu::lt
