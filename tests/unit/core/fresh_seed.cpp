#include "weft/core/fresh_seed.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace weft;

TEST_CASE("fresh_seed: all differ, and none is a small number") {
  manual_seed(0);
  std::set<u64> seen;
  for (const SeedUse use : {SeedUse::model, SeedUse::function, SeedUse::expression, SeedUse::loader})
    for (int k = 0; k < 1000; ++k) {
      const u64 seed = fresh_seed(use);
      CHECK(seed > 1'000'000'000);
      seen.insert(seed);
    }
  CHECK(seen.size() == 4000);
}

TEST_CASE("fresh_seed: manual_seed starts anew, each use by itself") {
  manual_seed(3);
  const u64 first = fresh_seed(SeedUse::model), second = fresh_seed(SeedUse::model);
  manual_seed(3);
  fresh_seed(SeedUse::loader);
  CHECK(fresh_seed(SeedUse::model) == first);
  CHECK(fresh_seed(SeedUse::model) == second);
  manual_seed(4);
  CHECK(fresh_seed(SeedUse::model) != first);
  manual_seed(0);
}
