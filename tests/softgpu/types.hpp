#pragma once
// Names that every file of the software device uses.

#include <cstddef>
#include <cstdint>

namespace softgpu {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

inline constexpr int warp_size = 32;
inline constexpr u32 full_mask = 0xffffffffu;

template <class T>
constexpr T round_up(T x, T multiple) {
  return (x + multiple - 1) / multiple * multiple;
}

}  // namespace softgpu
