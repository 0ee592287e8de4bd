#include "softgpu/forms/access.hpp"

#include <algorithm>
#include <cstring>

#include "softgpu/order.hpp"
#include "softgpu/report.hpp"

namespace softgpu {

namespace {

constexpr int illegal_address = 700, misaligned_address = 716;

// The live allocation that an access lies in, as a kernel on its device may use it.
Region& region_of(Warp& warp, const Op& op, int lane, u64 address, u32 bytes, u32 alignment,
                  const char* doing) {
  Launch& launch = *warp.block().launch;
  Region*& recent = launch.recent[op.line % Launch::recent_count];
  Region* region = recent;
  if (region == nullptr || !region->holds(address, bytes)) {
    region = memory().find(address);
    const auto what = [&] {
      return std::string(doing) + " of " + std::to_string(bytes) + " bytes at " + memory().describe(address);
    };
    if (region == nullptr) {
      const bool null = address < 4096;
      fail_access(null ? "null pointer" : "out of bounds", warp, op, lane, what(), illegal_address);
    }
    if (region->freed) fail_access("freed memory", warp, op, lane, what(), illegal_address);
    if (!region->holds(address, bytes)) fail_access("out of bounds", warp, op, lane, what(), illegal_address);
    if (region->kind == Region::Kind::device && region->device != launch.device)
      fail_access("another device's memory", warp, op, lane, what(), illegal_address);
    recent = region;
  }
  if (address % alignment != 0)
    fail_access(
        "misaligned", warp, op, lane,
        std::string(doing) + " of " + std::to_string(bytes) + " bytes at " + memory().describe(address),
        misaligned_address);
  return *region;
}

// The same for a whole row at once; null where something is wrong with it.
const Region* usable(Warp& warp, const Op& op, u64 address, u64 bytes) {
  Launch& launch = *warp.block().launch;
  Region*& recent = launch.recent[op.line % Launch::recent_count];
  if (recent != nullptr && recent->holds(address, bytes)) return recent;
  Region* const region = memory().find(address);
  if (region == nullptr || region->freed || !region->holds(address, bytes)) return nullptr;
  if (region->kind == Region::Kind::device && region->device != launch.device) return nullptr;
  return recent = region;
}

bool foreign(const Block& block, Tag tag) { return tag >= block.launch->first_tag && tag != block.tag; }

void report_load(Warp& warp, const Op& op, int lane, u64 address, Tag tag) {
  const std::string at = "load at " + memory().describe(address) + ", " + where(warp, op, lane);
  if (tag == unwritten)
    report("uninitialised read", place(warp, op), at + ": nobody has written there");
  else if (order().wrote_unordered(tag))
    report("unordered streams", place(warp, op),
           at + ": other work wrote there, and no event or wait puts the two in order");
  else
    report("conflict between blocks", place(warp, op),
           at + ": block " + std::to_string(tag - warp.block().launch->first_tag) +
               " of this launch wrote there");
}

// A store where work that is in no order with this one has read or written.
void order_store(Warp& warp, const Op& op, int lane, const Region& region, u64 address, u32 bytes,
                 const char* access = "store") {
  for (u32 i = 0; i < bytes; ++i) {
    const bool wrote = order().wrote_unordered(region.tags_at(address)[i]);
    if (!wrote && !order().read_unordered(region.reader_of(address + i))) continue;
    report("unordered streams", place(warp, op),
           access + (" at " + memory().describe(address + i)) + ", " + where(warp, op, lane) +
               ": other work " + (wrote ? "wrote" : "read") +
               " there, and no event or wait puts the two in order");
    return;
  }
}

}  // namespace

void load_global(Warp& warp, const Op& op, int lane, u64 address, std::byte* to, u32 bytes, u32 used_bytes,
                 u32 alignment) {
  Region& region = region_of(warp, op, lane, address, bytes, alignment, "load");
  std::memcpy(to, region.at(address), bytes);
  if (region.tags == nullptr) return;
  if (order().marks_reads()) region.mark_read(address, bytes, order().reader());
  const bool closer = order().any_unordered();
  const Block& block = warp.block();
  const Tag* const tags = region.tags_at(address);
  for (u32 i = 0; i < bytes; ++i) {
    if ((used_bytes >> i & 1) == 0) continue;
    if (tags[i] == unwritten || (foreign(block, tags[i]) && !block.launch->kernel->communicates) ||
        (closer && order().wrote_unordered(tags[i]))) {
      report_load(warp, op, lane, address + i, tags[i]);
      return;
    }
  }
}

void store_global(Warp& warp, const Op& op, int lane, u64 address, const std::byte* from, u32 bytes) {
  Region& region = region_of(warp, op, lane, address, bytes, bytes, "store");
  std::memcpy(region.at(address), from, bytes);
  if (region.tags == nullptr) return;
  if (order().any_unordered()) order_store(warp, op, lane, region, address, bytes);
  const Block& block = warp.block();
  Tag* const tags = region.tags_at(address);
  for (u32 i = 0; i < bytes; ++i) {
    if (foreign(block, tags[i]) && !block.launch->kernel->communicates) {
      report("conflict between blocks", place(warp, op),
             "store at " + memory().describe(address + i) + ", " + where(warp, op, lane) + ": block " +
                 std::to_string(tags[i] - block.launch->first_tag) + " of this launch wrote there too");
      break;
    }
  }
  std::fill_n(tags, bytes, block.tag);
}

std::byte* atomic_global(Warp& warp, const Op& op, int lane, u64 address, u32 bytes) {
  Region& region = region_of(warp, op, lane, address, bytes, bytes, "atomic");
  if (region.tags != nullptr) {
    if (region.tags_at(address)[0] == unwritten) report_load(warp, op, lane, address, unwritten);
    if (order().marks_reads()) region.mark_read(address, bytes, order().reader());
    if (order().any_unordered()) order_store(warp, op, lane, region, address, bytes, "atomic");
    std::fill_n(region.tags_at(address), bytes, order().tag());
  }
  return region.at(address);
}

std::byte* access_local(Warp& warp, const Op& op, int lane, u64 at, u32 bytes, bool writes) {
  Block& block = warp.block();
  const u64 size = block.launch->kernel->local_bytes;
  const auto access = [&] {
    return std::string(writes ? "store" : "load") + " of " + std::to_string(bytes) + " bytes at " + hex(at) +
           " of " + std::to_string(size) + " bytes of local memory";
  };
  if (at > size || bytes > size - at) fail_access("out of bounds", warp, op, lane, access(), illegal_address);
  if (at % bytes != 0) fail_access("misaligned", warp, op, lane, access(), misaligned_address);
  const u64 begin = size * static_cast<u64>(warp.thread(lane)) + at;
  bool said = false;
  for (u64 k = begin; k < begin + bytes; ++k) {
    if (writes) {
      block.local_written[k] = true;
    } else if (!block.local_written[k] && (op.used_bytes >> (k - begin) & 1) != 0 && !said) {
      said = true;
      report("uninitialised read", place(warp, op),
             access() + ", where the thread has not written, " + where(warp, op, lane));
    }
  }
  return block.local.data() + begin;
}

const std::byte* load_global_row(Warp& warp, const Op& op, u64 address, u32 element) {
  const Launch& launch = *warp.block().launch;
  const u64 bytes = u64{element} * warp_size;
  const Region* const region = usable(warp, op, address, bytes);
  if (region == nullptr || address % element != 0 || order().any_unordered()) return nullptr;
  if (region->tags != nullptr) {
    const Tag* const tags = region->tags_at(address);
    const Tag first = launch.first_tag, own = warp.block().tag;
    u32 wrong = 0;
    if (launch.kernel->communicates)
      for (u64 i = 0; i < bytes; ++i) wrong |= tags[i] == unwritten ? 1u : 0u;
    else
      for (u64 i = 0; i < bytes; ++i)
        wrong |=
            (tags[i] == unwritten ? 1u : 0u) | ((tags[i] >= first ? 1u : 0u) & (tags[i] != own ? 1u : 0u));
    if (wrong != 0) return nullptr;
    if (order().marks_reads()) region->mark_read(address, bytes, order().reader());
  }
  if (counting()) count_global(warp, op, full_mask, element);
  return region->at(address);
}

std::byte* store_global_row(Warp& warp, const Op& op, u64 address, u32 element) {
  const Launch& launch = *warp.block().launch;
  const u64 bytes = u64{element} * warp_size;
  const Region* const region = usable(warp, op, address, bytes);
  if (region == nullptr || address % element != 0 || order().any_unordered()) return nullptr;
  if (region->tags != nullptr) {
    Tag* const tags = region->tags_at(address);
    const Tag first = launch.first_tag, own = warp.block().tag;
    u32 wrong = 0;
    for (u64 i = 0; i < bytes; ++i) wrong |= (tags[i] >= first ? 1u : 0u) & (tags[i] != own ? 1u : 0u);
    if (wrong != 0) return nullptr;
    std::fill_n(tags, bytes, own);
  }
  if (counting()) count_global(warp, op, full_mask, element);
  return region->at(address);
}

void count_global(Warp& warp, const Op& op, u32 active, u64 bytes) {
  u64 address[warp_size];
  for (int lane = 0; lane < warp_size; ++lane)
    address[lane] =
        (op.s[0] == no_row ? 0 : row<const u64>(warp, op.s[0])[lane]) + static_cast<u64>(op.offset);
  count_sectors(warp.block().launch->counts, op.kind == Class::store_global, address, active, bytes);
}

}  // namespace softgpu
