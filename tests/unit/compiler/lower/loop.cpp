#include "weft/compiler/lower/loop.hpp"

#include <doctest/doctest.h>

#include "support/lowered_difference.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("loop: loops among other arithmetic, and loops in loops") {
  CHECK(failures(90000, 2000, {.steps = 8, .loops = 1}) == 0);
  CHECK(failures(100000, 1000, {.steps = 12, .state = true, .loops = 1}) == 0);
  CHECK(failures(110000, 1000, {.steps = 8, .loops = 2}) == 0);
  CHECK(failures(120000, 50, {.steps = 8, .size = 20000, .loops = 1}) == 0);
}
