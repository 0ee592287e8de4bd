#pragma once
// Copies from global to shared memory that a warp's lanes have begun. Law: a copy delivers its bytes when its
// lane waits for it, which is as late as the ISA allows, and takes them then.

#include <cstddef>
#include <vector>

#include "softgpu/op.hpp"
#include "softgpu/types.hpp"

namespace softgpu {

class Warp;

struct AsyncCopy {
  const Op* op = nullptr;  // that began it, in the kernel's code
  u64 from = 0, to = 0;
  u32 bytes = 0, taken = 0;  // what is not taken from global memory is zero
};

class AsyncCopies {
 public:
  // A block begins: nothing is under way.
  void clear() { lanes_.clear(); }
  void begin(int lane, const AsyncCopy& copy) {
    if (lanes_.empty()) lanes_.resize(warp_size);
    lanes_[static_cast<std::size_t>(lane)].begun.push_back(copy);
  }
  // What the lane has begun since it last did this is a group, empty ones included.
  void commit(int lane);
  // Delivers all groups of the lane but the last `groups`.
  void wait(Warp& warp, int lane, std::size_t groups);
  // Delivers all that the lane has begun.
  void wait_all(Warp& warp, int lane);

 private:
  struct Lane {
    std::vector<AsyncCopy> begun;     // the oldest first
    std::vector<std::size_t> groups;  // where each group ends in `begun`
  };
  static void deliver(Warp& warp, int lane, Lane& of, std::size_t count);
  std::vector<Lane> lanes_;
};

}  // namespace softgpu
