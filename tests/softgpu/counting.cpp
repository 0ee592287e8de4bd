#include "softgpu/counting.hpp"

#include <algorithm>
#include <numeric>

#include "softgpu/settings.hpp"

namespace softgpu {

void Counts::add(const Counts& other) {
  for (int k = 0; k < class_count; ++k) instructions[k] += other.instructions[k];
  lanes += other.lanes;
  barriers += other.barriers;
  sectors_loaded += other.sectors_loaded;
  distinct_loaded += other.distinct_loaded;
  sectors_stored += other.sectors_stored;
  distinct_stored += other.distinct_stored;
  shared_accesses += other.shared_accesses;
  bank_conflicts += other.bank_conflicts;
  most_in_flight = std::max(most_in_flight, other.most_in_flight);
}

u64 Counts::all_instructions() const {
  return std::accumulate(std::begin(instructions), std::end(instructions), u64{0});
}

bool& counting() {
  static bool on = settings().count;
  return on;
}

Sectors& loaded_sectors() {
  static auto* const only = new Sectors;  // outlives static objects that still launch
  return *only;
}
Sectors& stored_sectors() {
  static auto* const only = new Sectors;
  return *only;
}

void count_sectors(Counts& counts, bool stores, const u64* address, u32 active, u64 bytes) {
  constexpr u64 sector = 32;
  u64 touched[2 * warp_size];  // an access is aligned or is refused: at most two are touched
  std::size_t n = 0;
  for (int lane = 0; lane < warp_size; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    const u64 from = address[lane] / sector, to = (address[lane] + bytes - 1) / sector;
    if (n == 0 || touched[n - 1] != from) touched[n++] = from;
    if (to != from) touched[n++] = to;
  }
  std::sort(touched, touched + n);
  const auto* const end = std::unique(touched, touched + n);
  u64& requested = stores ? counts.sectors_stored : counts.sectors_loaded;
  u64& distinct = stores ? counts.distinct_stored : counts.distinct_loaded;
  Sectors& seen = stores ? stored_sectors() : loaded_sectors();
  requested += static_cast<u64>(end - touched);
  for (const u64* s = touched; s != end; ++s) distinct += seen.first(*s) ? 1 : 0;
}

u32 bank_passes(std::span<const u64> addresses, u32 bytes) {
  constexpr u64 word = 4;
  constexpr u32 banks = 32;
  u64 words[4 * warp_size];
  std::size_t n = 0;
  for (const u64 at : addresses)
    for (u64 w = at / word; w <= (at + bytes - 1) / word; ++w) words[n++] = w;
  std::sort(words, words + n);
  const auto* const end = std::unique(words, words + n);
  u32 wanted[banks]{}, most = 0;
  for (const u64* w = words; w != end; ++w) most = std::max(most, ++wanted[*w % banks]);
  return most;
}

void count_shared(Counts& counts, const u64* address, u32 active, u32 bytes) {
  const int together = bytes <= 4 ? warp_size : bytes <= 8 ? warp_size / 2 : warp_size / 4;
  for (int first = 0; first < warp_size; first += together) {
    u64 wanted[warp_size];
    std::size_t n = 0;
    for (int lane = first; lane < first + together; ++lane)
      if ((active >> lane & 1) != 0) wanted[n++] = address[lane];
    if (n == 0) continue;
    ++counts.shared_accesses;
    counts.bank_conflicts += bank_passes({wanted, n}, bytes) - 1;
  }
}

}  // namespace softgpu
