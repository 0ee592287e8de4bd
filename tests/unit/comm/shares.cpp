#include "weft/comm/shares.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace weft;
using comm::Shares;

TEST_CASE("shares: pieces of whole grains tile the vector in the order of the ranks") {
  for (const i64 elements : {1, 63, 64, 65, 1000, 4096})
    for (const i64 grain : {1, 16, 64, 4096})
      for (const i64 ranks : {1, 2, 3, 4, 7, 100}) {
        const Shares shares{elements, grain};
        CAPTURE(elements);
        CAPTURE(grain);
        CAPTURE(ranks);
        CHECK(shares.begin(0, ranks) == 0);
        CHECK(shares.begin(ranks, ranks) == elements);
        i64 most = 0;
        for (i64 r = 0; r < ranks; ++r) {
          const i64 begin = shares.begin(r, ranks), length = shares.begin(r + 1, ranks) - begin;
          CHECK(length >= 0);
          CHECK((begin % grain == 0 || begin == elements));
          if (most < length) most = length;
        }
        CHECK(most == shares.piece(ranks));
      }
}

TEST_CASE("shares: what cannot be divided evenly") {
  static_assert(Shares{10, 1}.piece(4) == 3);    // 3, 3, 3, 1
  static_assert(Shares{10, 4}.piece(2) == 8);    // 8, 2
  static_assert(Shares{10, 64}.piece(3) == 10);  // 10, 0, 0
  static_assert(Shares{10, 64}.begin(1, 3) == 10);
  static_assert(Shares{128, 64}.begin(2, 4) == 128);
}
