#include "weft/compiler/lower.hpp"

#include <doctest/doctest.h>

#include "support/lowered_difference.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("random graphs: small graphs lower to the same values") {
  CHECK(failures(0, 3000, {.steps = 8}) == 0);
}
TEST_CASE("random graphs: longer graphs lower to the same values") {
  CHECK(failures(10000, 1500, {.steps = 24}) == 0);
}
TEST_CASE("random graphs: state read and assigned") {
  CHECK(failures(20000, 1500, {.steps = 12, .state = true}) == 0);
}
