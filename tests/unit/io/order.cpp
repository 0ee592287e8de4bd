#include "weft/io/order.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace weft;

TEST_CASE("order: sorted and stable, for every length") {
  u32 state = 1;
  for (std::size_t n = 0; n < 70; ++n) {
    std::vector<u32> values(n), expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      state = state * 1664525u + 1013904223u;
      values[i] = (state >> 16) % 16;  // many equal ones
      expected[i] = static_cast<u32>(i);
    }
    const auto less = [&](u32 a, u32 b) { return values[a] < values[b]; };
    std::sort(expected.begin(), expected.end(),
              [&](u32 a, u32 b) { return values[a] != values[b] ? values[a] < values[b] : a < b; });
    REQUIRE(io::order_by(n, less) == expected);
  }
}
