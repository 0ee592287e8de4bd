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
TEST_CASE("random graphs: up to 600 steps") {
  CHECK(failures(130000, 400, {.steps = 200}) == 0);
  CHECK(failures(140000, 150, {.steps = 600}) == 0);
  CHECK(failures(150000, 150, {.steps = 120, .state = true, .products = 6}) == 0);
  CHECK(failures(160000, 100, {.steps = 120, .convolutions = true, .loops = 1}) == 0);
}
