#include "softgpu/shared_memory.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "softgpu/block.hpp"
#include "softgpu/device_model.hpp"
#include "softgpu/report.hpp"

namespace softgpu {

SharedMemory::SharedMemory(u64 bytes, u32 granule, bool products)
    : size_(bytes),
      shift_(static_cast<u32>(std::countr_zero(granule))),
      bytes_(bytes + 16),
      writes_((bytes >> shift_) + 2),
      reads_((bytes >> shift_) + 2),
      shown_(products ? reads_.size() : 0),
      hidden_(products ? DeviceModel::threads_per_block : 0) {}

std::string SharedMemory::name(Mark mark) {
  if (mark.who == many) return "threads of several warps have";
  if (mark.who == atomically_many) return "atomic operations of several warps have";
  const u32 warp = mark.who >> 6 & 0x3ff, lane = mark.who & 63;
  if (lane == atomically) return "atomic operations of warp " + std::to_string(warp) + " have";
  if (lane == several) return "several threads of warp " + std::to_string(warp) + " have";
  return "thread " + std::to_string(warp * warp_size + lane) + " has";
}

std::byte* SharedMemory::atomic(Warp& warp, const Op& op, int lane, u64 at, u32 bytes) {
  const u32 who = signature(warp, static_cast<u32>(lane));
  bool plain = at <= size_ && bytes <= size_ - at && at % bytes == 0;
  for (u64 k = at >> shift_; plain && k <= (at + bytes - 1) >> shift_; ++k) {
    const Mark written = writes_[k];
    const bool beside = written.interval == interval_ && is_atomic(written);
    plain =
        written.interval >= first_interval_ && (beside || ordered(written, who)) && ordered(reads_[k], who);
    if (!plain) break;
    const u32 own = signature(warp, atomically);
    const bool alone = !beside || (written.who != atomically_many && same_warp(written.who, own));
    writes_[k] = {interval_, alone ? own : atomically_many};
  }
  if (!plain) [[unlikely]] {
    look(who, warp, op, lane, at, bytes, false);
    look(who, warp, op, lane, at, bytes, true);
  }
  if (!shown_.empty()) hide(who, at, bytes);
  return bytes_.data() + at;
}

void SharedMemory::begin_copy(Warp& warp, const Op& op, int lane, u64 at, u32 bytes) {
  writable(warp, op, lane, at, bytes);
  ++copies_;
  const u32 who = signature(warp, static_cast<u32>(lane));
  for (u64 k = at >> shift_; k <= (at + bytes - 1) >> shift_; ++k) writes_[k] = {under_way, who};
}

std::byte* SharedMemory::end_copy(Warp& warp, int lane, u64 at, u32 bytes) {
  --copies_;
  const u32 who = signature(warp, static_cast<u32>(lane));
  for (u64 k = at >> shift_; k <= (at + bytes - 1) >> shift_; ++k) writes_[k] = {interval_, who};
  if (!shown_.empty()) hide(who, at, bytes);
  return bytes_.data() + at;
}

const std::byte* SharedMemory::begin_product_read(Warp& warp, const Op& op, u64 at) {
  constexpr u32 bytes = product_bytes;
  const std::byte* const from = readable_by_several(warp, op, 0, at, bytes);
  const u32 who = signature(warp, several);
  warp.reads_until_waited({&op, at, interval_, who});
  for (u64 k = at >> shift_; k <= (at + bytes - 1) >> shift_; ++k) {
    if (ordered(shown_[k], who) || !ordered(writes_[k], who)) continue;  // that is said to be a race
    report("proxy fence", place(warp, op),
           "a product reads " + std::to_string(bytes) + " bytes at " + hex(at) +
               " of shared memory, which thread " + std::to_string(thread(shown_[k].who)) +
               " has written with no fence.proxy.async before the last barrier, " + where(warp, op, 0));
    break;
  }
  return from;
}

void SharedMemory::end_product_read(Warp& warp, const ProductRead& read) {
  const auto before = [&](Mark written) {
    if (written.interval != read.interval) return written.interval < read.interval;
    const u32 barriers = ((read.who >> 16) - (written.who >> 16)) & 0x7fff;  // of the warp
    return same_warp(written.who, read.who) && 0 < barriers && barriers < 0x4000;
  };
  for (u64 k = read.at >> shift_; k <= (read.at + product_bytes - 1) >> shift_; ++k) {
    if (!before(writes_[k])) {
      report("race in shared memory", place(warp, *read.op),
             "load of " + std::to_string(product_bytes) + " bytes at " + hex(read.at) +
                 " of shared memory, which " + name(writes_[k]) +
                 " written since the product began and before it was waited for, " +
                 where(warp, *read.op, 0));
      break;
    }
    add_reader(reads_[k], signature(warp, several));
  }
}

void SharedMemory::hide(u32 who, u64 at, u32 bytes) {
  for (u64 k = at >> shift_; k <= (at + bytes - 1) >> shift_; ++k) {
    if (shown_[k].interval != under_way || thread(shown_[k].who) != thread(who))
      hidden_[thread(who)].push_back(static_cast<u32>(k));
    shown_[k] = {under_way, who};
  }
}

void SharedMemory::show(const Warp& warp, int lane) {
  if (shown_.empty()) return;
  const u32 who = signature(warp, static_cast<u32>(lane));
  for (const u32 k : hidden_[thread(who)])
    if (shown_[k].interval == under_way && thread(shown_[k].who) == thread(who)) shown_[k] = {interval_, who};
  hidden_[thread(who)].clear();
}

void SharedMemory::forget_fences() {
  std::fill(shown_.begin(), shown_.end(), Mark{});
  for (std::vector<u32>& of : hidden_) of.clear();
}

// Threads that exit need not wait.
void SharedMemory::forget_copies() {
  copies_ = 0;
  for (Mark& mark : writes_)
    if (mark.interval == under_way) mark = {};
}

// An access that is not plainly right: says what is wrong with it, and goes on where the hardware would.
void SharedMemory::look(u32 who, Warp& warp, const Op& op, int lane, u64 at, u32 bytes, bool writes) {
  const auto access = [&] {
    return std::string(writes ? "store" : "load") + " of " + std::to_string(bytes) + " bytes at " + hex(at);
  };
  if (at > size_ || bytes > size_ - at)
    fail_access("out of bounds", warp, op, lane,
                access() + " of " + std::to_string(size_) + " bytes of shared memory", 700);
  if (at % bytes != 0) fail_access("misaligned", warp, op, lane, access() + " of shared memory", 716);
  bool said = false;
  const auto race = [&](Mark before, const char* how) {
    if (std::exchange(said, true)) return;
    const std::string what = before.interval == under_way
                                 ? "where a copy is under way that " + name(before) + " not waited for, "
                                 : "which " + name(before) + " " + how + " since the last barrier, ";
    report("race in shared memory", place(warp, op),
           access() + " of shared memory, " + what + where(warp, op, lane));
  };
  for (u64 k = at >> shift_; k <= (at + bytes - 1) >> shift_; ++k) {
    Mark &written = writes_[k], &read = reads_[k];
    if (!ordered(written, who)) race(written, "written");
    if (writes) {
      if (!ordered(read, who)) race(read, "read");
      written = {interval_, who};
      continue;
    }
    const u64 byte = std::max(k << shift_, at) - at;
    if (written.interval < first_interval_ && (op.used_bytes >> byte & 1) != 0 && !std::exchange(said, true))
      report("uninitialised read", place(warp, op),
             access() + " of shared memory, where nobody has written, " + where(warp, op, lane));
    add_reader(read, who);
  }
}

}  // namespace softgpu
