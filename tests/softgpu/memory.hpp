#pragma once
// The memory of the devices: allocations with exact bounds at addresses that are never used twice and that
// the host cannot touch. Law: of each byte it is known whether it is allocated and who wrote it last.

#include <map>
#include <string>

#include "softgpu/types.hpp"

namespace softgpu {

// Who wrote a byte last. Every block of every launch has a tag of its own, counted up from `first_block_tag`.
using Tag = u32;
inline constexpr Tag unwritten = 0;
inline constexpr Tag written_by_copy = 1;  // or by a fill, or by a library
inline constexpr Tag first_block_tag = 2;

struct Region {
  enum class Kind { device, pinned };
  Kind kind = Kind::device;
  u64 begin = 0, end = 0;  // as the program knows them
  int device = 0;
  bool freed = false;
  bool permanent = false;      // belongs to a module, not to the program
  u64 number = 0;              // the how-many-th allocation of the process
  std::byte* store = nullptr;  // where the bytes are
  u32* readers = nullptr;      // which work read two bytes last (order.hpp)
  Tag* tags = nullptr;         // one a byte; null for pinned memory, which the host may write unseen

  u64 size() const { return end - begin; }
  bool holds(u64 at, u64 bytes) const { return at >= begin && at <= end && bytes <= end - at; }
  std::byte* at(u64 address) const { return store + (address - begin); }
  Tag* tags_at(u64 address) const { return tags + (address - begin); }
  u32 reader_of(u64 address) const { return readers[(address - begin) / 2]; }
  void mark_read(u64 address, u64 bytes, u32 reader) const {
    for (u64 k = (address - begin) / 2; k <= (address - begin + bytes - 1) / 2; ++k) readers[k] = reader;
  }
  std::string describe() const;
};

class Memory {
 public:
  static constexpr u64 bytes_per_device = u64{64} << 30;
  static constexpr int devices = 2;
  // Where samples of blocks run, longer copies and fills are not done.
  static constexpr u64 largest_sampled = u64{4} << 20;

  // Null where a device has no more memory.
  Region* allocate(int device, u64 bytes);
  Region* allocate_pinned(u64 bytes);
  void release(Region& region);

  // The allocation that holds the address or ends last before it, freed ones included; null if there is none.
  Region* nearest(u64 address);
  // The live or freed allocation that holds the address.
  Region* find(u64 address);
  bool in_device_window(u64 address) const { return window_ != 0 && address - window_ < window_bytes; }
  bool in_pinned_window(u64 address) const { return window_ != 0 && address - pinned_ < window_bytes; }
  u64 used(int device) const { return used_[device]; }
  const std::map<u64, Region>& regions() const { return regions_; }

  // The bytes and tags of a range, which must lie in one region.
  static void copy(Region* to_region, u64 to, Region* from_region, u64 from, u64 bytes);
  static void fill(Region& region, u64 at, u64 bytes, int value);
  static void mark(Region& region, u64 at, u64 bytes, Tag tag);
  // How many bytes from `at` on have been written, at most `bytes`.
  static u64 written(const Region& region, u64 at, u64 bytes);

  // What is said of an address in a report.
  std::string describe(u64 address);

 private:
  static constexpr u64 window_bytes = u64{1} << 40;
  void reserve();

  std::map<u64, Region> regions_;  // by address
  u64 window_ = 0, next_ = 0;
  u64 pinned_ = 0, next_pinned_ = 0;
  std::byte* store_ = nullptr;
  Tag* tags_ = nullptr;
  u32* readers_ = nullptr;
  u64 used_[devices]{};
  u64 count_ = 0;
};

// The process has one.
Memory& memory();

}  // namespace softgpu
