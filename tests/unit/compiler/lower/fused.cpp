#include "weft/compiler/lower/fused.hpp"

#include <doctest/doctest.h>

#include "support/lowered_difference.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("fused: a reduction over all of a value with more axes than its kernel's space") {
  CHECK(failures(200368, 1, {.steps = 24}) == 0);
}
TEST_CASE("fused: sizes that are cut into chunks") {
  CHECK(failures(30000, 200, {.steps = 10, .size = 40000}) == 0);
}
