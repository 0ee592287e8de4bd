#pragma once
// Random orders. Law: a permutation depends on (n, seed, epoch, use) alone, never on the machine or on what
// was drawn before, and every permutation is equally likely.

#include <utility>
#include <vector>

#include "weft/core/philox.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::data {

// Keeps the draws of different purposes apart under one seed.
enum class ShuffleUse : u32 { epoch = 1, split = 2 };

// A random order of 0 ... n-1: the Fisher-Yates shuffle (Durstenfeld, CACM 7(7), 1964; Knuth, TAOCP vol. 2,
// 3.4.2, algorithm P) with numbers from Philox4x32-10. Each bounded number is 64 random bits masked to the
// bound's length, drawn again while too large, which has no bias.
inline std::vector<i64> permutation(i64 n, u64 seed, i64 epoch, ShuffleUse use) {
  std::vector<i64> order(static_cast<std::size_t>(n));
  for (i64 i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  const u32 key[2] = {static_cast<u32>(seed), static_cast<u32>(seed >> 32)};
  u64 draws = 0;
  Philox4 block{};
  const auto draw = [&] {
    const u64 number = draws / 2, halved = draws % 2 * 2;
    if (halved == 0) {
      // The use takes the top byte of the epoch's upper word: epochs stay far below 2^56.
      const u32 counter[4] = {
          static_cast<u32>(number), static_cast<u32>(number >> 32), static_cast<u32>(epoch),
          static_cast<u32>(static_cast<u64>(epoch) >> 32) ^ (static_cast<u32>(use) << 24)};
      block = philox(counter, key);
    }
    ++draws;
    return static_cast<u64>(block.x[halved]) | static_cast<u64>(block.x[halved + 1]) << 32;
  };
  for (u64 bound = static_cast<u64>(n); bound > 1; --bound) {
    const u64 mask = ~u64{0} >> __builtin_clzll(bound - 1);
    u64 chosen = draw() & mask;
    while (chosen >= bound) chosen = draw() & mask;
    std::swap(order[bound - 1], order[chosen]);
  }
  return order;
}

}  // namespace WEFT_NAMESPACE::data
