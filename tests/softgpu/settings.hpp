#pragma once
// What the environment chooses, read once.
//   WEFT_SOFTGPU_SEED=N      orders of blocks, warps and streams (default 1)
//   WEFT_SOFTGPU_APPROX=N    displaces results of approximate instructions and sums of mma inside their bound
//                            (default 0: not)
//   WEFT_SOFTGPU_COUNT=1     prints what each kernel did when the process ends
//   WEFT_SOFTGPU_SAMPLE=N    of each launch only the first and the last block and N between run, products and
//                            large copies do not, and nothing is checked of who wrote what: for counting
//   WEFT_SOFTGPU_NEWEST=1    runs a module's PTX of its newest target, where the oldest is run else
//   WEFT_SOFTGPU_PRODUCTS=0  has the library offer no algorithm for any product
//   WEFT_SOFTGPU_PRODUCTS=2  ... for none whose operands are said to be aligned to more than elements
//   WEFT_SOFTGPU_LEGACY=0    work in the legacy default stream is a finding

#include <cstdlib>

#include "softgpu/types.hpp"

namespace softgpu {

struct Settings {
  u64 seed = number("WEFT_SOFTGPU_SEED", 1);
  u64 approx = number("WEFT_SOFTGPU_APPROX", 0);
  bool count = number("WEFT_SOFTGPU_COUNT", 0) != 0;
  u64 sample = number("WEFT_SOFTGPU_SAMPLE", 0);
  bool newest = number("WEFT_SOFTGPU_NEWEST", 0) != 0;
  u64 products = number("WEFT_SOFTGPU_PRODUCTS", 1);

  static u64 number(const char* name, u64 otherwise) {
    const char* text = std::getenv(name);
    return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
  }
};

inline const Settings& settings() {
  static const Settings all;
  return all;
}

// A small generator (splitmix64): the same seed gives the same run.
class Random {
 public:
  explicit Random(u64 seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567) {}
  u64 next() {
    u64 z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  // In [0, n).
  u32 below(u32 n) { return static_cast<u32>((next() >> 32) * n >> 32); }

 private:
  u64 state_;
};

}  // namespace softgpu
