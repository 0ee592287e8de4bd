#pragma once
// What the devices claim to be: an H100's limits (compute capability 9.0 and its table in the programming
// guide), with fewer multiprocessors.

#include <algorithm>

#include "softgpu/block.hpp"

namespace softgpu {

struct DeviceModel {
  static constexpr int major = 9, minor = 0;
  static constexpr int multiprocessors = 8;
  static constexpr u32 threads_per_block = 1024, threads_per_multiprocessor = 2048;
  static constexpr u32 blocks_per_multiprocessor = 32;
  static constexpr u32 registers_per_multiprocessor = 65536, registers_per_block = 65536;
  static constexpr u64 shared_per_block = 48 * 1024, shared_per_block_opt_in = 227 * 1024;
  static constexpr u64 shared_per_multiprocessor = 228 * 1024, shared_reserved_per_block = 1024;
  static constexpr u64 grid_x = 2147483647, grid_y = 65535, grid_z = 65535;
  static constexpr u64 block_x = 1024, block_y = 1024, block_z = 64;
};

// How many blocks of a launch one multiprocessor holds at once.
inline u64 blocks_per_multiprocessor(const Kernel& kernel, u64 threads, u64 dynamic_shared) {
  using M = DeviceModel;
  const u64 warps = (threads + warp_size - 1) / warp_size;
  u64 blocks =
      std::min<u64>(M::blocks_per_multiprocessor, M::threads_per_multiprocessor / (warps * warp_size));
  if (kernel.machine_registers > 0) {  // given to a warp in steps of 256
    const u64 per_warp = round_up<u64>(u64{kernel.machine_registers} * warp_size, 256);
    blocks = std::min<u64>(blocks, M::registers_per_multiprocessor / (per_warp * warps));
  }
  const u64 shared = kernel.static_shared + dynamic_shared + M::shared_reserved_per_block;
  return std::min<u64>(blocks, M::shared_per_multiprocessor / shared);
}

inline u64 resident_blocks(const Launch& launch) {
  return std::max<u64>(
      1, DeviceModel::multiprocessors *
             blocks_per_multiprocessor(*launch.kernel, launch.threads.count(), launch.dynamic_shared));
}

}  // namespace softgpu
