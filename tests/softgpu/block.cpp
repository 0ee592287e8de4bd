#include "softgpu/block.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "softgpu/device_model.hpp"
#include "softgpu/report.hpp"

namespace softgpu {

namespace {

// How many instructions a block runs before another may.
constexpr u64 shortest_slice = 512, longest_slice = 65536;
constexpr u64 warp_slice = 4096;
// Blocks in progress at once: more are started, up to what the device could hold, when none of them ends.
constexpr std::size_t few_blocks = 4;
constexpr int slices_without_end = 64;

u32 special_value(Special which, const Block& block, const Warp& warp, int lane) {
  const Dim &threads = block.launch->threads, &grid = block.launch->grid;
  const auto thread = static_cast<u32>(warp.thread(lane));
  const auto l = static_cast<u32>(lane);
  switch (which) {
    case Special::tid_x:
      return thread % threads.x;
    case Special::tid_y:
      return thread / threads.x % threads.y;
    case Special::tid_z:
      return thread / threads.x / threads.y;
    case Special::ntid_x:
      return threads.x;
    case Special::ntid_y:
      return threads.y;
    case Special::ntid_z:
      return threads.z;
    case Special::ctaid_x:
      return block.index.x;
    case Special::ctaid_y:
      return block.index.y;
    case Special::ctaid_z:
      return block.index.z;
    case Special::nctaid_x:
      return grid.x;
    case Special::nctaid_y:
      return grid.y;
    case Special::nctaid_z:
      return grid.z;
    case Special::laneid:
      return l;
    case Special::warpid:
      return static_cast<u32>(warp.index());
    case Special::lanemask_eq:
      return 1u << l;
    case Special::lanemask_lt:
      return (1u << l) - 1;
    case Special::lanemask_le:
      return (2u << l) - 1;
    case Special::lanemask_gt:
      return ~((2u << l) - 1);
    case Special::lanemask_ge:
      return ~((1u << l) - 1);
  }
  return 0;
}

std::string triple(const Dim& d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

}  // namespace

std::string where(const Warp& warp, const Op& op, int lane) {
  const Launch& launch = *warp.block().launch;
  Dim thread;
  thread.x = special_value(Special::tid_x, warp.block(), warp, lane);
  thread.y = special_value(Special::tid_y, warp.block(), warp, lane);
  thread.z = special_value(Special::tid_z, warp.block(), warp, lane);
  return "by thread " + triple(thread) + " of block " + triple(warp.block().index) + ", PTX line " +
         std::to_string(op.line) + " of " + readable(launch.kernel->name);
}

std::string place(const Warp& warp, const Op& op) {
  return warp.block().launch->kernel->name + ":" + std::to_string(op.line);
}

void fail_access(const char* kind, const Warp& warp, const Op& op, int lane, const std::string& what,
                 int status) {
  report(kind, place(warp, op), what + ", " + where(warp, op, lane));
  throw KernelFault{status};
}

Block::Block(Launch& of) : launch(&of) {
  const Kernel& kernel = *of.kernel;
  shared = std::make_unique<SharedMemory>(kernel.static_shared + of.dynamic_shared, kernel.shared_granule,
                                          kernel.products);
  const u64 count = of.threads.count();
  local.resize(u64{kernel.local_bytes} * count);
  local_written.resize(local.size());
  warps.resize((count + warp_size - 1) / warp_size);
  row_bytes_ = kernel.register_bytes;
  registers.resize(row_bytes_ * warps.size() + 64);
  for (std::size_t w = 0; w < warps.size(); ++w) {
    warps[w].start(*this, static_cast<int>(w), first_registers() + w * row_bytes_, 0);
    for (const Kernel::Constant& c : kernel.constants) {
      if (c.predicate)
        predicate(warps[w], c.at) = static_cast<u32>(c.bits);
      else if (c.wide)
        std::fill_n(row<u64>(warps[w], c.at), warp_size, c.bits);
      else
        std::fill_n(row<u32>(warps[w], c.at), warp_size, static_cast<u32>(c.bits));
    }
  }
}

std::byte* Block::first_registers() {
  return reinterpret_cast<std::byte*>(round_up<u64>(reinterpret_cast<u64>(registers.data()), 64));
}

void Block::start(u64 linear) {
  const Dim& grid = launch->grid;
  index = {static_cast<u32>(linear % grid.x), static_cast<u32>(linear / grid.x % grid.y),
           static_cast<u32>(linear / grid.x / grid.y)};
  tag = launch->first_tag + static_cast<Tag>(linear);
  shared->start_block();
  std::fill(local_written.begin(), local_written.end(), false);
  const u64 count = launch->threads.count();
  for (std::size_t w = 0; w < warps.size(); ++w) {
    const u64 lanes = std::min<u64>(warp_size, count - w * warp_size);
    warps[w].start(*this, static_cast<int>(w), first_registers() + w * row_bytes_,
                   lanes == warp_size ? full_mask : (1u << lanes) - 1);
    for (const auto& [at, which] : launch->kernel->specials)
      for (int lane = 0; lane < warp_size; ++lane)
        row<u32>(warps[w], at)[lane] = special_value(which, *this, warps[w], lane);
  }
}

bool Block::run(u64 budget, Random& random) {
  for (;;) {
    std::size_t ready = 0;
    const std::size_t first = random.below(static_cast<u32>(warps.size()));
    for (std::size_t k = 0; k < warps.size(); ++k) {
      Warp& warp = warps[(first + k) % warps.size()];
      if (warp.state() != Warp::State::running) continue;
      ++ready;
      warp.run(warp_slice);
      budget -= std::min(budget, warp_slice);
    }
    if (ready == 0) {
      const bool done = std::all_of(warps.begin(), warps.end(),
                                    [](const Warp& w) { return w.state() == Warp::State::done; });
      if (done) return true;
      meet();
    }
    if (budget == 0) return false;
  }
}

// Every warp that has not ended waits at a barrier.
void Block::meet() {
  const Warp* at = nullptr;
  for (Warp& warp : warps) {
    if (warp.state() != Warp::State::at_barrier) continue;
    if (at != nullptr && at->barrier_pc() != warp.barrier_pc()) {
      const Op& op = launch->kernel->code[warp.barrier_pc()];
      report("divergent barrier", place(warp, op),
             "a warp waits here while another waits at the barrier of PTX line " +
                 std::to_string(launch->kernel->code[at->barrier_pc()].line) + ", " +
                 where(warp, op, std::countr_zero(warp.alive())));
    }
    at = &warp;
  }
  shared->next_interval();
  reduce_votes();
  for (Warp& warp : warps)
    if (warp.state() == Warp::State::at_barrier) warp.release();
}

// bar.red: every thread learns what all threads brought.
void Block::reduce_votes() {
  const auto each = [&](const auto& f) {
    for (Warp& warp : warps)
      if (warp.state() == Warp::State::at_barrier)
        if (const Op& op = launch->kernel->code[warp.barrier_pc()]; op.d[0] != no_row) f(warp, op);
  };
  votes = {};
  each([&](Warp& warp, const Op& op) {
    votes.threads += static_cast<u32>(std::popcount(warp.alive()));
    votes.set += static_cast<u32>(std::popcount(predicate(warp, op.s[1]) & warp.alive()));
  });
  each([&](Warp& warp, const Op& op) { op.execute(warp, op, warp.alive()); });
}

namespace {

// Which blocks run: all of them, or with WEFT_SOFTGPU_SAMPLE the first, the last and some between.
std::vector<u64> sample(u64 blocks, u64 wanted) {
  if (wanted == 0 || blocks <= wanted + 2) return {};
  Random random(settings().seed);
  std::set<u64> chosen{0, blocks - 1};
  while (chosen.size() < wanted + 2) chosen.insert(random.next() % blocks);
  return {chosen.begin(), chosen.end()};
}

}  // namespace

void run_grid(Launch& launch, Random& random) {
  const std::vector<u64> chosen = sample(launch.grid.count(), settings().sample);
  const u64 count = launch.blocks_run = chosen.empty() ? launch.grid.count() : chosen.size();
  const std::size_t window = std::min<u64>(count, resident_blocks(launch));
  std::vector<std::unique_ptr<Block>> active, idle;
  u64 next = 0;
  std::size_t limit = few_blocks;
  int slices = 0;
  while (next < count || !active.empty()) {
    while (next < count && active.size() < std::min(limit, window)) {
      if (idle.empty()) {
        active.push_back(std::make_unique<Block>(launch));
      } else {
        active.push_back(std::move(idle.back()));
        idle.pop_back();
      }
      active.back()->start(chosen.empty() ? next : chosen[next]);
      ++next;
    }
    const std::size_t k = random.below(static_cast<u32>(active.size()));
    const u64 slice = random.below(4) == 0 ? shortest_slice : longest_slice;
    if (active[k]->run(slice, random)) {
      idle.push_back(std::move(active[k]));
      active.erase(active.begin() + static_cast<std::ptrdiff_t>(k));
      slices = 0;
    } else if (++slices > slices_without_end && limit < window) {
      ++limit;  // they may wait for a block that has not begun
      slices = 0;
    }
  }
}

}  // namespace softgpu
