#pragma once
// Results that must not differ in one bit, and numbers that let them.

#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "weft/core/types.hpp"

namespace weft::testing {

// `count` numbers of a normal distribution, of integers twenty times as large.
template <class T>
std::vector<T> normal_numbers(i64 count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> v(static_cast<std::size_t>(count));
  for (T& x : v) {
    if constexpr (std::is_integral_v<T>)
      x = static_cast<T>(static_cast<i64>(normal(random) * 20));
    else if constexpr (sizeof(T) < 4)
      x = static_cast<T>(static_cast<float>(normal(random)));
    else
      x = static_cast<T>(normal(random));
  }
  return v;
}
// Of two tensors, or views of such.
template <class A, class B>
bool same_bits(const A& a, const B& b) {
  const auto x = a.to_vector(), y = b.to_vector();
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0;
}

}  // namespace weft::testing
