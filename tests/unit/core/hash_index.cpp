#include "weft/core/hash_index.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <vector>

using namespace weft;

TEST_CASE("hash_index: every entry of a hash once, the earliest first") {
  std::mt19937 random(3);
  HashIndex index;
  CHECK(index.first(7) == -1);
  std::map<u64, std::vector<int>> wanted;
  for (int k = 0; k < 3000; ++k) {
    const u64 h = random() % 900;  // several entries a hash, several hashes a bucket
    wanted[h].push_back(k);
    index.add(h);
  }
  CHECK(index.size() == 3000);
  for (u64 h = 0; h < 1000; ++h) {
    std::vector<int> got;
    for (int k = index.first(h); k >= 0; k = index.next(k)) got.push_back(k);
    CHECK(got == wanted[h]);
  }
}

constexpr int second_of_five() {
  HashIndex index;
  for (const u64 h : {5u, 3u, 5u, 4u}) index.add(h);
  return index.next(index.first(5));
}
static_assert(second_of_five() == 2);
