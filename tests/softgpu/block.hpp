#pragma once
// A block of a launch: its warps, shared memory and barrier, and what the kernel's accesses are checked
// against.

#include <memory>
#include <string>
#include <vector>

#include "softgpu/counting.hpp"
#include "softgpu/kernel.hpp"
#include "softgpu/memory.hpp"
#include "softgpu/settings.hpp"
#include "softgpu/shared_memory.hpp"
#include "softgpu/types.hpp"
#include "softgpu/warp.hpp"

namespace softgpu {

struct Dim {
  u32 x = 1, y = 1, z = 1;
  u64 count() const { return u64{x} * y * z; }
};

// A fault that ends the kernel and spoils the device, as on hardware. `status` is a cudaError_t.
struct KernelFault {
  int status = 0;
};

// One launch in progress.
struct Launch {
  const Kernel* kernel = nullptr;
  Dim grid, threads;
  u64 dynamic_shared = 0;
  std::vector<std::byte> params;
  int device = 0;
  Tag first_tag = 0;
  // The regions of the last accesses, by the instruction's line.
  static constexpr int recent_count = 16;
  Region* recent[recent_count]{};
  Counts counts;
  u64 blocks_run = 0;
};

struct Block {
  Launch* launch = nullptr;
  Dim index;
  Tag tag = 0;
  std::unique_ptr<SharedMemory> shared;
  std::vector<std::byte> registers;
  std::vector<std::byte> local;     // of all threads, one behind the other
  std::vector<bool> local_written;  // by this block's threads
  std::vector<Warp> warps;
  // At a barrier that reduces: threads, and those whose predicate is set.
  struct Votes {
    u32 threads = 0, set = 0;
  };
  Votes votes;

  explicit Block(Launch& of);
  void start(u64 linear);
  // Goes on for about `budget` instructions in all; whether the block is done.
  bool run(u64 budget, Random& random);

 private:
  void meet();
  void reduce_votes();
  std::byte* first_registers();
  u64 row_bytes_ = 0;
};

// Runs the whole grid. Throws KernelFault.
void run_grid(Launch& launch, Random& random);

// Where a kernel's line stands and which thread is at it, for reports.
std::string where(const Warp& warp, const Op& op, int lane);
// The same without the thread: what counts as one place.
std::string place(const Warp& warp, const Op& op);

// Reports a fault of an access, and ends the kernel.
[[noreturn]] void fail_access(const char* kind, const Warp& warp, const Op& op, int lane,
                              const std::string& what, int status);

}  // namespace softgpu
