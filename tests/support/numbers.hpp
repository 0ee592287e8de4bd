#pragma once
// Inputs for tests that compare two ways to run a program.

#include <type_traits>
#include <vector>

#include "weft/core/types.hpp"

namespace weft::testing {

// `count` numbers that depend on `state` alone: integers in [-1, 10], others in [-2.15, 2.15).
template <class T>
std::vector<T> numbers(i64 count, u32 state) {
  std::vector<T> v(static_cast<std::size_t>(count));
  for (T& x : v) {
    state = state * 1664525u + 1013904223u;
    if constexpr (std::is_integral_v<T>)
      x = static_cast<T>(static_cast<i32>((state >> 16) % 12) - 1);
    else
      x = T(static_cast<float>(static_cast<i32>(state)) * 1e-9f);
  }
  return v;
}

}  // namespace weft::testing
