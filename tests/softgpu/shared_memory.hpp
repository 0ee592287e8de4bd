#pragma once
// A block's shared memory. Law: two accesses of one place by different threads, one of them a store, have a
// barrier of the block between them, or of their warp if they are of one; what is read was written in this
// block; and what a warpgroup's product reads its writer has shown to the async proxy by a fence before that
// barrier.

#include <string>
#include <vector>

#include "softgpu/op.hpp"
#include "softgpu/types.hpp"
#include "softgpu/warp.hpp"

namespace softgpu {

class SharedMemory {
 public:
  // Accesses are followed in granules: no access of the kernel is narrower. `products`: it has products of
  // warpgroups.
  SharedMemory(u64 bytes, u32 granule, bool products);
  // Forgets what the block before has left; its bytes stay, as on hardware.
  void start_block() {
    first_interval_ = ++interval_;
    if (copies_ != 0) forget_copies();
    if (!shown_.empty()) forget_fences();
  }
  // All threads have met at a barrier.
  void next_interval() { ++interval_; }

  // Where a thread's load or store finds its bytes. Throws KernelFault for what the hardware refuses.
  const std::byte* readable(Warp& warp, const Op& op, int lane, u64 at, u32 bytes) {
    return readable_by(signature(warp, static_cast<u32>(lane)), warp, op, lane, at, bytes);
  }
  std::byte* writable(Warp& warp, const Op& op, int lane, u64 at, u32 bytes) {
    const u32 who = signature(warp, static_cast<u32>(lane));
    bool plain = at <= size_ && bytes <= size_ - at && at % bytes == 0;
    for (u64 k = at >> shift_; plain && k <= (at + bytes - 1) >> shift_; ++k) {
      plain = ordered(writes_[k], who) && ordered(reads_[k], who);
      if (plain) writes_[k] = {interval_, who};
    }
    if (!plain) [[unlikely]]
      look(who, warp, op, lane, at, bytes, true);
    if (!shown_.empty()) hide(who, at, bytes);
    return bytes_.data() + at;
  }
  // Where a thread's atomic operation finds its bytes: those of others may come in any order with it.
  std::byte* atomic(Warp& warp, const Op& op, int lane, u64 at, u32 bytes);
  // An asynchronous copy begins: until it ends, nobody reads or writes its place.
  void begin_copy(Warp& warp, const Op& op, int lane, u64 at, u32 bytes);
  // The thread has waited for it, which counts as its store.
  std::byte* end_copy(Warp& warp, int lane, u64 at, u32 bytes);
  // All lanes load from one place.
  const std::byte* readable_by_all(Warp& warp, const Op& op, u64 at, u32 bytes) {
    const std::byte* const from = readable(warp, op, 0, at, bytes);
    for (u64 k = at >> shift_; k <= (at + bytes - 1) >> shift_; ++k)
      add_reader(reads_[k], signature(warp, several));
    return from;
  }
  // Lanes load together what `lane` points to: not even that lane may have written it since the last barrier.
  const std::byte* readable_by_several(Warp& warp, const Op& op, int lane, u64 at, u32 bytes) {
    return readable_by(signature(warp, several), warp, op, lane, at, bytes);
  }
  // The same of 16 bytes that a product begins to read, which must have been shown to it; and the end of
  // that, when the warp waits for the product: nobody has written there in between.
  const std::byte* begin_product_read(Warp& warp, const Op& op, u64 at);
  void end_product_read(Warp& warp, const ProductRead& read);
  // fence.proxy.async of a lane: what it has written is there for products behind the next barrier.
  void show(const Warp& warp, int lane);

 private:
  // Between which barriers of the block (0 for never, or under_way), and by whom: the barriers of the warp
  // that came before, the warp, and the lane, or `several` lanes of it; or `many` warps.
  struct Mark {
    u32 interval = 0;
    u32 who = 0;
  };
  static constexpr u32 several = warp_size;
  static constexpr u32 atomically = warp_size + 1;  // by lanes of one warp
  static constexpr u32 many = ~0u;
  static constexpr u32 atomically_many = ~0u - 1;
  static constexpr u32 under_way = ~0u;
  static constexpr u32 product_bytes = 16;  // of a read
  static u32 signature(const Warp& warp, u32 lane) {
    return (warp.epoch() & 0x7fff) << 16 | static_cast<u32>(warp.index()) << 6 | lane;
  }
  static bool same_warp(u32 a, u32 b) { return ((a ^ b) & 0xffc0) == 0; }
  // Whether a barrier lies between the earlier access and one by `who` now, or both are one thread's.
  bool ordered(Mark before, u32 who) const {
    if (before.interval != interval_) return before.interval != under_way;
    if (before.who == many) return false;
    return same_warp(before.who, who) && (before.who >> 16 != who >> 16 || before.who == who);
  }
  void add_reader(Mark& readers, u32 who) const {
    if (readers.interval != interval_)
      readers = {interval_, who};
    else if (readers.who == many || !same_warp(readers.who, who))
      readers.who = many;
    else if (readers.who !=
             who)  // readers before the warp's last barrier matter to other warps, for whom one is enough
      readers.who = readers.who >> 16 == who >> 16 ? (who & ~63u) | several : who;
  }
  const std::byte* readable_by(u32 who, Warp& warp, const Op& op, int lane, u64 at, u32 bytes) {
    bool plain = at <= size_ && bytes <= size_ - at && at % bytes == 0;
    for (u64 k = at >> shift_; plain && k <= (at + bytes - 1) >> shift_; ++k) {
      plain = writes_[k].interval >= first_interval_ && ordered(writes_[k], who);
      if (plain) add_reader(reads_[k], who);
    }
    if (!plain) [[unlikely]]
      look(who, warp, op, lane, at, bytes, false);
    return bytes_.data() + at;
  }
  void forget_copies();
  void forget_fences();
  void hide(u32 who, u64 at, u32 bytes);
  static u32 thread(u32 who) { return (who >> 6 & 0x3ff) * warp_size + (who & 63); }
  static bool is_atomic(Mark mark) { return mark.who == atomically_many || (mark.who & 63) == atomically; }
  static std::string name(Mark mark);
  void look(u32 who, Warp& warp, const Op& op, int lane, u64 at, u32 bytes, bool writes);

  u64 size_;
  u32 shift_;
  u32 interval_ = 1, first_interval_ = 1;
  u64 copies_ = 0;  // under way
  std::vector<std::byte> bytes_;
  std::vector<Mark> writes_, reads_;
  // Of kernels with products: the fence behind each granule's last store (under_way: there is none, and who
  // has stored), and of each thread the granules that its next fence is for.
  std::vector<Mark> shown_;
  std::vector<std::vector<u32>> hidden_;
};

}  // namespace softgpu
