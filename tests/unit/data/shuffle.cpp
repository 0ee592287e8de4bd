#include "weft/data/shuffle.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

using namespace weft;
using data::permutation;
using data::ShuffleUse;

TEST_CASE("shuffle: a permutation of 0 ... n-1 for every n") {
  for (const i64 n : {0, 1, 2, 3, 7, 64, 65, 1000}) {
    auto order = permutation(n, 42, 3, ShuffleUse::epoch);
    REQUIRE(static_cast<i64>(order.size()) == n);
    std::sort(order.begin(), order.end());
    for (i64 i = 0; i < n; ++i) REQUIRE(order[static_cast<std::size_t>(i)] == i);
  }
}

TEST_CASE("shuffle: seed, epoch and use each change the order, nothing else does") {
  const auto order = permutation(1000, 1, 2, ShuffleUse::epoch);
  CHECK(permutation(1000, 1, 2, ShuffleUse::epoch) == order);
  CHECK(permutation(1000, 2, 2, ShuffleUse::epoch) != order);
  CHECK(permutation(1000, u64{1} | u64{1} << 32, 2, ShuffleUse::epoch) != order);
  CHECK(permutation(1000, 1, 3, ShuffleUse::epoch) != order);
  CHECK(permutation(1000, 1, 2 + (i64{1} << 32), ShuffleUse::epoch) != order);
  CHECK(permutation(1000, 1, 2, ShuffleUse::split) != order);
}

TEST_CASE("shuffle: every order of four is equally likely") {
  std::map<std::vector<i64>, int> seen;
  constexpr int trials = 24'000;
  for (int epoch = 0; epoch < trials; ++epoch) ++seen[permutation(4, 5, epoch, ShuffleUse::epoch)];
  REQUIRE(seen.size() == 24);
  f64 chi_squared = 0;
  for (const auto& [order, count] : seen)
    chi_squared += (count - trials / 24.0) * (count - trials / 24.0) / (trials / 24.0);
  // 23 degrees of freedom: chance exceeds 49.7 with probability 1e-3 and falls below 4.0 with 3e-6.
  CHECK(chi_squared < 49.7);
  CHECK(chi_squared > 4.0);
}
