#include "softgpu/block.hpp"

#include <algorithm>
#include <bit>

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
    case Special::tid_x: return thread % threads.x;
    case Special::tid_y: return thread / threads.x % threads.y;
    case Special::tid_z: return thread / threads.x / threads.y;
    case Special::ntid_x: return threads.x;
    case Special::ntid_y: return threads.y;
    case Special::ntid_z: return threads.z;
    case Special::ctaid_x: return block.index.x;
    case Special::ctaid_y: return block.index.y;
    case Special::ctaid_z: return block.index.z;
    case Special::nctaid_x: return grid.x;
    case Special::nctaid_y: return grid.y;
    case Special::nctaid_z: return grid.z;
    case Special::laneid: return l;
    case Special::warpid: return static_cast<u32>(warp.index());
    case Special::lanemask_eq: return 1u << l;
    case Special::lanemask_lt: return (1u << l) - 1;
    case Special::lanemask_le: return (2u << l) - 1;
    case Special::lanemask_gt: return ~((2u << l) - 1);
    case Special::lanemask_ge: return ~((1u << l) - 1);
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

void fail_access(const char* kind, const Warp& warp, const Op& op, int lane, const std::string& what, int status) {
  report(kind, place(warp, op), what + ", " + where(warp, op, lane));
  throw KernelFault{status};
}

SharedMemory::SharedMemory(u64 bytes, u32 granule)
    : size_(bytes), shift_(static_cast<u32>(std::countr_zero(granule))), bytes_(bytes + 16),
      writes_((bytes >> shift_) + 2), reads_((bytes >> shift_) + 2) {}

void SharedMemory::start_block() { first_interval_ = ++interval_; }

// Whether the earlier access has ended before this one begins: a barrier of the block or of the warp lies between.
bool SharedMemory::ordered(const Access& before, const Warp& warp, int thread, u32 interval) {
  if (before.interval != interval) return true;
  if (before.many) return false;
  if (!before.several && before.thread == thread) return true;
  return before.thread / warp_size == warp.index() && before.epoch != warp.epoch();
}

void SharedMemory::check(Warp& warp, const Op& op, int lane, u64 at, u32 bytes, bool writes) {
  if (at > size_ || bytes > size_ - at)
    fail_access("out of bounds", warp, op, lane,
                std::string(writes ? "store" : "load") + " of " + std::to_string(bytes) + " bytes at " + hex(at) +
                    " of " + std::to_string(size_) + " bytes of shared memory",
                700);
  if (at % bytes != 0)
    fail_access("misaligned", warp, op, lane,
                std::string(writes ? "store" : "load") + " of " + std::to_string(bytes) +
                    " bytes of shared memory at " + hex(at),
                716);
  const int thread = warp.thread(lane);
  const u64 last = (at + bytes - 1) >> shift_;
  for (u64 k = at >> shift_; k <= last; ++k) {
    Access &written = writes_[k], &read = reads_[k];
    const auto race = [&](const Access& before, const char* how) {
      report("race in shared memory", place(warp, op),
             std::string(writes ? "store" : "load") + " at " + hex(at) + " of shared memory, which thread " +
                 std::to_string(before.thread) + (before.several || before.many ? " and others have " : " has ") + how +
                 " since the last barrier, " + where(warp, op, lane));
    };
    if (!ordered(written, warp, thread, interval_)) {
      race(written, "written");
      return;
    }
    if (writes) {
      if (!ordered(read, warp, thread, interval_)) {
        race(read, "read");
        return;
      }
      written = {interval_, warp.epoch(), static_cast<u16>(thread), false, false};
    } else {
      if (written.interval < first_interval_ && (op.used_bytes >> ((k << shift_) - std::min(k << shift_, at)) & 1) != 0) {
        report("uninitialised read", place(warp, op),
               "load at " + hex(at) + " of shared memory, where nobody has written, " + where(warp, op, lane));
        return;
      }
      if (read.interval != interval_ || (!read.many && read.thread / warp_size == warp.index() && read.epoch != warp.epoch()))
        read = {interval_, warp.epoch(), static_cast<u16>(thread), false, false};
      else if (read.thread / warp_size != warp.index())
        read.many = true;
      else if (read.thread != thread)
        read.several = true;
    }
  }
}

void SharedMemory::load(Warp& warp, const Op& op, int lane, u64 at, void* to, u32 bytes) {
  check(warp, op, lane, at, bytes, false);
  std::copy_n(bytes_.data() + at, bytes, static_cast<std::byte*>(to));
}

void SharedMemory::store(Warp& warp, const Op& op, int lane, u64 at, const void* from, u32 bytes) {
  check(warp, op, lane, at, bytes, true);
  std::copy_n(static_cast<const std::byte*>(from), bytes, bytes_.data() + at);
}

Block::Block(Launch& of) : launch(&of) {
  const Kernel& kernel = *of.kernel;
  shared = std::make_unique<SharedMemory>(kernel.static_shared + of.dynamic_shared, kernel.shared_granule);
  const u64 count = of.threads.count();
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
  for (Warp& warp : warps)
    if (warp.state() == Warp::State::at_barrier) warp.release();
}

void run_grid(Launch& launch, Random& random) {
  const u64 count = launch.grid.count();
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
      active.back()->start(next++);
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
