#pragma once
// Random orders. Law: a permutation depends on (n, seed, epoch, use) alone, never on the machine or on what
// was drawn before, and every permutation is equally likely.

#include <utility>
#include <vector>

#include "weft/core/philox.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::data {

// Keeps the draws of different purposes apart under one seed.
enum class ShuffleUse : u32 { epoch = 1, split = 2, weighted = 3, batches = 4 };

// Random numbers of (seed, epoch, use), from Philox4x32-10.
class Draws {
 public:
  // The use takes the top byte of the epoch's upper word: epochs stay far below 2^56.
  Draws(u64 seed, i64 epoch, ShuffleUse use)
      : key_{static_cast<u32>(seed), static_cast<u32>(seed >> 32)},
        epoch_{static_cast<u32>(epoch),
               static_cast<u32>(static_cast<u64>(epoch) >> 32) ^ (static_cast<u32>(use) << 24)} {}

  // 64 random bits.
  u64 word() {
    const u64 number = drawn_ / 2, halved = drawn_ % 2 * 2;
    if (halved == 0) {
      const u32 counter[4] = {static_cast<u32>(number), static_cast<u32>(number >> 32), epoch_[0], epoch_[1]};
      block_ = philox(counter, key_);
    }
    ++drawn_;
    return static_cast<u64>(block_.x[halved]) | static_cast<u64>(block_.x[halved + 1]) << 32;
  }
  // Each of 0 ... bound - 1 is equally likely: bits masked to the bound's length, drawn again while too
  // large.
  u64 below(u64 bound) {
    if (bound < 2) return 0;
    const u64 mask = ~u64{0} >> __builtin_clzll(bound - 1);
    u64 chosen = word() & mask;
    while (chosen >= bound) chosen = word() & mask;
    return chosen;
  }
  // In [0, 1), a multiple of 2^-53.
  f64 unit() { return static_cast<f64>(word() >> 11) * 0x1p-53; }

 private:
  u32 key_[2], epoch_[2];
  u64 drawn_ = 0;
  Philox4 block_{};
};

// A random order of 0 ... n-1: the Fisher-Yates shuffle (Durstenfeld, CACM 7(7), 1964; Knuth, TAOCP vol. 2,
// 3.4.2, algorithm P).
inline std::vector<i64> permutation(i64 n, u64 seed, i64 epoch, ShuffleUse use) {
  std::vector<i64> order(static_cast<std::size_t>(n));
  for (i64 i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  Draws draws(seed, epoch, use);
  for (u64 bound = static_cast<u64>(n); bound > 1; --bound)
    std::swap(order[bound - 1], order[draws.below(bound)]);
  return order;
}

}  // namespace WEFT_NAMESPACE::data
