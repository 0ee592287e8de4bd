#pragma once
// Memory of a GPU that several handles own, and its copies to and from the host.

#include "weft/device/cuda_buffer.cuh"
#include "weft/exec/memory.hpp"

namespace WEFT_NAMESPACE::exec {

// Between host and device, or within a device; complete on return.
inline void copy_now(void* to, const void* from, i64 bytes) {
  if (bytes == 0) return;
  cuda_check(cudaMemcpy(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault), "cudaMemcpy");
}

template <>
struct DeviceMemory<Cuda> {
  using Buffer = DeviceBuffer;
  static Buffer allocate(const Cuda& device, i64 bytes) {
    require_cuda(device);
    DeviceGuard guard(device.ordinal);
    return Buffer(static_cast<std::size_t>(bytes));
  }
  // All wait for what the device has still to do.
  static void zero(const Cuda& device, std::byte* at, i64 bytes) {
    if (bytes == 0) return;
    DeviceGuard guard(device.ordinal);
    cuda_check(cudaMemset(at, 0, static_cast<std::size_t>(bytes)), "cudaMemset");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  static void to_host(const Cuda& device, void* to, const std::byte* from, i64 bytes) {
    DeviceGuard guard(device.ordinal);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    copy_now(to, from, bytes);
  }
  static void from_host(const Cuda& device, std::byte* to, const void* from, i64 bytes) {
    DeviceGuard guard(device.ordinal);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    copy_now(to, from, bytes);
  }
};

}  // namespace WEFT_NAMESPACE::exec
