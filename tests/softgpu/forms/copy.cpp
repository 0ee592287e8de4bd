// Asynchronous copies from global to shared memory, which go round the registers.
#include <string>

#include "softgpu/block.hpp"
#include "softgpu/forms/access.hpp"
#include "softgpu/forms/table.hpp"
#include "softgpu/report.hpp"

namespace softgpu {

namespace {

template <class T>
u64 value(const Warp& warp, Row at, int lane) {
  return at == no_row ? 0 : u64{row<const T>(warp, at)[lane]};
}

// Both places are checked now, though the bytes move later.
void copy(Warp& warp, const Op& op, u32 active) {
  if (counting()) {
    u32 reading = active;  // a lane that takes no bytes fills with zeros
    if (op.s[2] != no_row)
      for (int lane = 0; lane < warp_size; ++lane)
        if (row<const u32>(warp, op.s[2])[lane] == 0) reading &= ~(1u << lane);
    count_global(warp, op, reading, op.count);
    u64 to[warp_size];
    for (int lane = 0; lane < warp_size; ++lane)
      to[lane] = (value<u32>(warp, op.s[1], lane) + static_cast<u64>(op.second_offset)) & 0xffffffffu;
    count_shared(warp.block().launch->counts, to, active, op.count);
  }
  for (int lane = 0; lane < warp_size; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    AsyncCopy now;
    now.op = &op;
    now.from = value<u64>(warp, op.s[0], lane) + static_cast<u64>(op.offset);
    now.to = (value<u32>(warp, op.s[1], lane) + static_cast<u64>(op.second_offset)) & 0xffffffffu;
    now.bytes = op.count;
    now.taken = op.s[2] == no_row ? op.count : row<const u32>(warp, op.s[2])[lane];
    if (now.taken > now.bytes)
      fail_access("out of bounds", warp, op, lane,
                  "a copy of " + std::to_string(now.taken) + " bytes into " + std::to_string(now.bytes), 700);
    std::byte unused[16];
    if (now.taken > 0) load_global(warp, op, lane, now.from, unused, now.taken, ~0u, now.bytes);
    warp.block().shared->begin_copy(warp, op, lane, now.to, now.bytes);
    warp.copies().begin(lane, now);
  }
}

void commit(Warp& warp, const Op&, u32 active) {
  for (int lane = 0; lane < warp_size; ++lane)
    if ((active >> lane & 1) != 0) warp.copies().commit(lane);
}
void wait_group(Warp& warp, const Op& op, u32 active) {
  for (int lane = 0; lane < warp_size; ++lane)
    if ((active >> lane & 1) != 0) warp.copies().wait(warp, lane, row<const u32>(warp, op.s[0])[lane]);
}
void wait_all(Warp& warp, const Op&, u32 active) {
  for (int lane = 0; lane < warp_size; ++lane)
    if ((active >> lane & 1) != 0) warp.copies().wait_all(warp, lane);
}

}  // namespace

void add_copy_forms(FormTable& t) {
  Form form{&copy, Class::load_global, {}, {}};
  form.copies = true;
  for (const char* cache : {"ca", "cg"})
    for (const char* space : {"shared", "shared::cta"})
      for (const char* ahead : {"", ".L2::64B", ".L2::128B", ".L2::256B"})  // fetches more into a cache
        t.add(std::string("cp.async.") + cache + "." + space + ".global" + ahead, form);
  t.add("cp.async.commit_group", {&commit, Class::control, {}, {}});
  t.add("cp.async.wait_group", {&wait_group, Class::control, {}, {Width::narrow}});
  t.add("cp.async.wait_all", {&wait_all, Class::control, {}, {}});
}

}  // namespace softgpu
