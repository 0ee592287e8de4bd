#include "weft/compiler/lower/dot.hpp"

#include <doctest/doctest.h>

#include "support/lowered_difference.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("dot: products with what is added to them") {
  absorbed = {};
  CHECK(failures(40000, 4500, {.steps = 8, .products = 12}) == 0);
  CHECK(failures(50000, 2200, {.steps = 12, .state = true, .products = 12}) == 0);
  CHECK(absorbed.added > 300);
  CHECK(absorbed.bias > 180);
  CHECK(absorbed.both > 60);
}
TEST_CASE("dot: products over many axes in other orders than in memory") {
  CHECK(failures(80000, 3000, {.steps = 5, .products = 15, .many_axes = true}) == 0);
}
