#include "weft/kernels/simd/random_window.hpp"

#include <doctest/doctest.h>

using namespace weft;
using namespace weft::kernels;

namespace {

constexpr u32 seed[4]{0x12345678u, 0x9abcdef0u, 3, 7};

u32 word_of(u32 element, u32 stream) {
  const u32 counter[4]{element >> 2, seed[2], stream, seed[3]}, key[2]{seed[0], seed[1]};
  return philox(counter, key).x[element & 3];
}
// Whether the words of elements index to index + 15 are those that each has by itself.
bool are_own(RandomWindow& window, u32 index, u32 stream) {
  const Simd<u32> words = window.words(index, seed, stream);
  bool same = true;
  for (int k = 0; k < lanes; ++k) same = same && words[k] == word_of(index + static_cast<u32>(k), stream);
  return same;
}

}  // namespace

TEST_CASE("random window: every element has the word of its own counter, wherever the walk goes") {
  RandomWindow window;
  CHECK_FALSE(window.holds(0));
  bool same = true;
  for (u32 i = 0; i < 1024; i += 16) same = same && are_own(window, i, 5);
  CHECK(same);
  CHECK(window.holds(1008 - 48));
  CHECK_FALSE(window.holds(1008 - 49));
  CHECK_FALSE(window.holds(1009));
  // rows of odd lengths, a walk back, and the last elements, behind which numbers begin again
  for (u32 i = 0; i < 3000; i += 50257 % 331) same = same && are_own(window, i, 5);
  for (u32 i = 3000; i > 13; i -= 13) same = same && are_own(window, i, 5);
  for (u32 i = 0xffffff00u; i > 0xff; i += 9) same = same && are_own(window, i, 5);
  CHECK(same);
}

TEST_CASE("random window: a stream has a window of its own") {
  RandomWindow one, other;
  CHECK(are_own(one, 64, 1));
  CHECK(are_own(other, 64, 2));
  CHECK(are_own(one, 80, 1));
  CHECK(one.words(80, seed, 1)[0] != other.words(80, seed, 2)[0]);
}
