#pragma once
// A block's shared memory. Law: two accesses of one place by different threads, one of them a store, have a
// barrier of the block between them, or of their warp if they are of one; and what is read was written in
// this block.

#include <string>
#include <vector>

#include "softgpu/op.hpp"
#include "softgpu/types.hpp"
#include "softgpu/warp.hpp"

namespace softgpu {

class SharedMemory {
 public:
  // Accesses are followed in granules: no access of the kernel is narrower.
  SharedMemory(u64 bytes, u32 granule);
  // Forgets what the block before has left; its bytes stay, as on hardware.
  void start_block() { first_interval_ = ++interval_; }
  // All threads have met at a barrier.
  void next_interval() { ++interval_; }

  // Where a thread's load or store finds its bytes. Throws KernelFault for what the hardware refuses.
  const std::byte* readable(Warp& warp, const Op& op, int lane, u64 at, u32 bytes) {
    const u32 who = signature(warp, lane);
    bool plain = at <= size_ && bytes <= size_ - at && at % bytes == 0;
    for (u64 k = at >> shift_; plain && k <= (at + bytes - 1) >> shift_; ++k) {
      Mark& read = reads_[k];
      // written in this block, before the last barrier
      plain = writes_[k].interval - first_interval_ < interval_ - first_interval_ &&
              (read.interval != interval_ || read.who == who);
      read = plain ? Mark{interval_, who} : read;
    }
    if (!plain) look(warp, op, lane, at, bytes, false);
    return bytes_.data() + at;
  }
  std::byte* writable(Warp& warp, const Op& op, int lane, u64 at, u32 bytes) {
    const u32 who = signature(warp, lane);
    bool plain = at <= size_ && bytes <= size_ - at && at % bytes == 0;
    for (u64 k = at >> shift_; plain && k <= (at + bytes - 1) >> shift_; ++k) {
      const Mark read = reads_[k], written = writes_[k];
      plain = (written.interval != interval_ || written.who == who) &&
              (read.interval != interval_ || read.who == who);
      if (plain) writes_[k] = {interval_, who};
    }
    if (!plain) look(warp, op, lane, at, bytes, true);
    return bytes_.data() + at;
  }
  // All lanes load from one place.
  const std::byte* readable_by_all(Warp& warp, const Op& op, u64 at, u32 bytes) {
    const std::byte* const from = readable(warp, op, 0, at, bytes);
    for (u64 k = at >> shift_; k <= (at + bytes - 1) >> shift_; ++k)
      if (reads_[k].who == signature(warp, 0)) reads_[k].who = signature(warp, several);
    return from;
  }

 private:
  // Between which barriers of the block (0 for never), and by whom: the barriers of the warp that came
  // before, the warp, and the lane, or `several` lanes of it; or `many` warps.
  struct Mark {
    u32 interval = 0;
    u32 who = 0;
  };
  static constexpr int several = warp_size;
  static constexpr u32 many = ~0u;
  static u32 signature(const Warp& warp, int lane) {
    return (warp.epoch() & 0xffff) << 16 | static_cast<u32>(warp.index()) << 6 | static_cast<u32>(lane);
  }
  bool ordered(Mark before, const Warp& warp, int lane) const;
  static std::string name(Mark mark);
  void look(Warp& warp, const Op& op, int lane, u64 at, u32 bytes, bool writes);

  u64 size_;
  u32 shift_;
  u32 interval_ = 1, first_interval_ = 1;
  std::vector<std::byte> bytes_;
  std::vector<Mark> writes_, reads_;
};

}  // namespace softgpu
