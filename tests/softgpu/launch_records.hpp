#pragma once
// What the software device can say of a program's launches, for programs that run on it: they find it by
// name, and get nothing on a GPU.
//   if (const auto device = softgpu::launch_records()) {
//     device->start();
//     ...  // launches, and a wait for them
//     std::size_t count = 0;
//     const softgpu::LaunchRecord* const launches = device->stop(&count);
//   }

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

namespace softgpu {

struct LaunchRecord {
  static constexpr int classes = 14;
  const char* name;                         // mangled, as the PTX has it
  std::uint64_t grid, threads, blocks_run;  // blocks_run: fewer than the grid's where a sample ran
  std::uint64_t registers, static_shared, dynamic_shared, local_bytes;  // of the machine code beside the PTX
  std::uint64_t blocks_a_multiprocessor;                                // that fit at once
  // Of the blocks that ran; counting.hpp says what each is.
  std::uint64_t instructions[classes];  // a warp's, in the order of op.hpp
  std::uint64_t lanes, barriers;
  std::uint64_t sectors_loaded, distinct_loaded, sectors_stored, distinct_stored;
  std::uint64_t shared_accesses, bank_conflicts;
  std::uint64_t most_in_flight;  // bytes a thread
};

// start() forgets earlier records; what stop() gives stays until the next start().
struct LaunchRecords {
  void (*start)();
  const LaunchRecord* (*stop)(std::size_t* count);
  const char* const* class_names;
};

inline const LaunchRecords* launch_records() {
  const auto find =
      reinterpret_cast<const LaunchRecords* (*)()>(dlsym(RTLD_DEFAULT, "softgpu_launch_records"));
  return find == nullptr ? nullptr : find();
}

}  // namespace softgpu
