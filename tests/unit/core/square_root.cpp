#include "weft/core/square_root.hpp"

#include <doctest/doctest.h>

#include <cmath>

static_assert(weft::square_root(49) == 7);

TEST_CASE("square_root: within one unit of the last place of std::sqrt, from tiny to large") {
  for (double x = 1e-12; x < 1e12; x *= 1.37) {
    const double want = std::sqrt(x);
    CHECK(std::abs(weft::square_root(x) - want) <= std::nextafter(want, 1e300) - want);
  }
  CHECK(weft::square_root(0) == 0);
  CHECK(weft::square_root(-1) == 0);
}
