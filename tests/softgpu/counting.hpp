#pragma once
// What a launch does is counted here: sectors of global memory, conflicts between banks of shared memory, and
// how many bytes a thread may have under way. Laws: an instruction of a warp asks for each sector of 32 bytes
// once; shared memory has 32 banks of 4 bytes, lanes that want one word get it together, and accesses of 8
// and of 16 bytes are done by half and by quarter warps.

#include <span>
#include <unordered_map>
#include <vector>

#include "softgpu/op.hpp"
#include "softgpu/types.hpp"

namespace softgpu {

struct Counts {
  u64 instructions[class_count]{};
  u64 lanes = 0, barriers = 0;
  u64 sectors_loaded = 0, distinct_loaded = 0;  // asked for by instructions, and different ones of the launch
  u64 sectors_stored = 0, distinct_stored = 0;
  u64 shared_accesses = 0, bank_conflicts = 0;  // passes through the banks that are needed, and those beyond
  // The most bytes that one thread loads without a store to global memory, a barrier or a jump back between:
  // what may be under way at once.
  u64 most_in_flight = 0;
  void add(const Counts& other);
  u64 all_instructions() const;
};

// Whether launches are counted: WEFT_SOFTGPU_COUNT, or a program that asks (launch_records.hpp).
bool& counting();

// Which sectors a launch has touched.
class Sectors {
 public:
  void start_launch() { ++launch_; }
  // Whether this is the launch's first access to the sector.
  bool first(u64 sector) {
    u32& last = stamp(sector);
    if (last == launch_) return false;
    last = launch_;
    return true;
  }

 private:
  static constexpr u64 page = 4096;  // sectors
  u32& stamp(u64 sector) {
    const u64 number = sector / page;
    if (recent_ == nullptr || number != recent_number_) {
      auto& stamps = pages_[number];
      if (stamps.empty()) stamps.resize(page);
      recent_ = stamps.data();
      recent_number_ = number;
    }
    return recent_[sector % page];
  }
  std::unordered_map<u64, std::vector<u32>> pages_;
  u32* recent_ = nullptr;
  u64 recent_number_ = 0;
  u32 launch_ = 0;
};
// Of loads and of stores.
Sectors& loaded_sectors();
Sectors& stored_sectors();

// A warp's access to global memory of `bytes` a lane, at `address` of those in `active`.
void count_sectors(Counts& counts, bool stores, const u64* address, u32 active, u64 bytes);

// How often the banks are needed by one group of lanes whose `addresses` of `bytes` go through them together.
u32 bank_passes(std::span<const u64> addresses, u32 bytes);
// A warp's access to shared memory of 1 to 16 bytes a lane.
void count_shared(Counts& counts, const u64* address, u32 active, u32 bytes);

}  // namespace softgpu
