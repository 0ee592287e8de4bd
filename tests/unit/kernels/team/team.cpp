#include "weft/kernels/team/team.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

using namespace weft;

static_assert(Team<SerialTeam>);
static_assert(!Team<int>);
static_assert(is_symmetric_reduction<ReduceSum, float> && !is_symmetric_reduction<ReduceMax, float>);

TEST_CASE("team: the serial team is one thread") {
  SerialTeam team;
  CHECK(team.rank() == 0);
  CHECK(team.size() == 1);
  team.sync();
  CHECK(team.sum(2.5f) == 2.5f);
  CHECK(team.prod(3) == 3);
  CHECK(team.max(-1.0) == -1.0);
  CHECK(team.min(-1.0) == -1.0);
  CHECK(team.broadcast(7, 0) == 7);
}

TEST_CASE("team: serial shared memory is aligned, disjoint and bounded") {
  alignas(64) std::byte memory[1024];
  SerialTeam team(memory + 8, 1016);
  float* a = team.shared<float>(3);
  double* b = team.shared<double>(5);
  CHECK(reinterpret_cast<std::uintptr_t>(a) % 64 == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(b) % 64 == 0);
  CHECK(reinterpret_cast<std::byte*>(b) >= reinterpret_cast<std::byte*>(a + 3));
  CHECK(reinterpret_cast<std::byte*>(a) >= memory + 8);
  try {
    team.shared<double>(1000);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.id() == "team/shared-exhausted");
  }
  CHECK_THROWS_AS(SerialTeam{}.shared<float>(1), Error);
}

TEST_CASE("team: max and min let NaN win, from either side") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(ReduceMax{}(nan, 1.0f)));
  CHECK(std::isnan(ReduceMax{}(1.0f, nan)));
  CHECK(std::isnan(ReduceMin{}(nan, 1.0f)));
  CHECK(std::isnan(ReduceMin{}(1.0f, nan)));
  CHECK(ReduceMax{}(2, 3) == 3);
  CHECK(ReduceMin{}(2, 3) == 2);
}

TEST_CASE("team: partials fold in halves, whatever their count") {
  static_assert(detail::first_half(1) == 1 && detail::first_half(2) == 1 && detail::first_half(3) == 2 &&
                detail::first_half(32) == 16);
  for (int count = 1; count <= 32; ++count) {
    int partial[32];
    for (int i = 0; i < 32; ++i) partial[i] = i < count ? 1 << (i % 30) : 1000000;
    int expected = 0;
    for (int i = 0; i < count; ++i) expected += partial[i];
    detail::fold_partials<16>(partial, count, ReduceSum{});
    CHECK(partial[0] == expected);
  }
}
