#pragma once
// Memory of a GPU that several handles own, and its copies to and from the host.

#include "weft/device/cuda_buffer.cuh"
#include "weft/device/cuda_order.cuh"
#include "weft/targets/memory.hpp"

namespace WEFT_NAMESPACE::exec {

// The GPU whose memory this is; the thread's current one for memory of the host.
inline int device_of(const void* data) {
  cudaPointerAttributes attributes{};
  cuda_check(cudaPointerGetAttributes(&attributes, data), "cudaPointerGetAttributes");
  int device = attributes.device;
  if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged)
    cuda_check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

// Between host and the current device, or within it; complete on return. In the thread's own stream, as work
// in the legacy one would make the caller's streams wait.
inline void copy_now(void* to, const void* from, i64 bytes) {
  if (bytes == 0) return;
  cuda_check(
      cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault, cudaStreamPerThread),
      "cudaMemcpyAsync");
  cuda_check(cudaStreamSynchronize(cudaStreamPerThread), "cudaStreamSynchronize");
}

// From memory of the host or of a GPU, behind all that both have to do; complete on return.
inline void copy_in(const Cuda& device, void* to, const void* from, i64 bytes) {
  if (bytes == 0) return;
  if (const int source = device_of(from); source != device.ordinal) {
    DeviceGuard guard(source);
    cuda_wait_for_device();
  }
  DeviceGuard guard(device.ordinal);
  cuda_wait_for_device();
  copy_now(to, from, bytes);
}

template <>
struct DeviceMemory<Cuda> {
  using Buffer = DeviceBuffer;
  using Order = CudaOrder;
  static Buffer allocate(const Cuda& device, i64 bytes) {
    require_cuda(device);
    DeviceGuard guard(device.ordinal);
    return Buffer(static_cast<std::size_t>(bytes), device.allocator);
  }
  // All wait for what the device has still to do.
  static void zero(const Cuda& device, std::byte* at, i64 bytes) {
    if (bytes == 0) return;
    DeviceGuard guard(device.ordinal);
    cuda_check(cudaMemsetAsync(at, 0, static_cast<std::size_t>(bytes), cudaStreamPerThread),
               "cudaMemsetAsync");
    cuda_wait_for_device();
  }
  static void to_host(const Cuda& device, void* to, const std::byte* from, i64 bytes) {
    DeviceGuard guard(device.ordinal);
    cuda_wait_for_device();
    copy_now(to, from, bytes);
  }
  static void from_host(const Cuda& device, std::byte* to, const void* from, i64 bytes) {
    DeviceGuard guard(device.ordinal);
    cuda_wait_for_device();
    copy_now(to, from, bytes);
  }
};

}  // namespace WEFT_NAMESPACE::exec
