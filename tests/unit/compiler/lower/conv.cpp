#include "weft/compiler/lower/conv.hpp"

#include <doctest/doctest.h>

#include "support/lowered_difference.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("conv: convolutions among other arithmetic") {
  CHECK(failures(60000, 2000, {.steps = 8, .convolutions = true}) == 0);
  CHECK(failures(70000, 1000, {.steps = 12, .state = true, .convolutions = true}) == 0);
}
