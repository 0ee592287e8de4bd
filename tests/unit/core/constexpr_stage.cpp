#include "weft/core/constexpr_stage.hpp"

#include <doctest/doctest.h>

using namespace weft;

namespace {
struct Numbers {
  static constexpr void write(WordWriter& w) {
    for (int i = 0; i < 100; ++i) w.put_pair(i, -i);
  }
};
}  // namespace

TEST_CASE("constexpr_stage: a stage keeps exactly what it wrote, within its capacity and beyond") {
  CHECK(Kept<Numbers>::size == 100);
  CHECK(Kept<Numbers, 10>::size == 100);
  for (int i = 0; i < 100; ++i) {
    CHECK(WordReader::low(Kept<Numbers>::words.w[i]) == i);
    CHECK(WordReader::high(Kept<Numbers>::words.w[i]) == -i);
    CHECK(Kept<Numbers, 10>::words.w[i] == Kept<Numbers>::words.w[i]);
    CHECK(Kept<Numbers>::data[i] == Kept<Numbers>::words.w[i]);
    CHECK(Kept<Numbers, 10>::data[i] == Kept<Numbers>::words.w[i]);
  }
}
