#pragma once
// A model's memory on a GPU.

#include "weft/exec/cuda_tensor.cuh"
#include "weft/exec/model.hpp"

namespace weft::exec {

template <>
struct DeviceMemory<Cuda> {
  using Buffer = DeviceBuffer;
  static Buffer allocate(const Cuda& device, i64 bytes) {
    require_cuda(device);
    DeviceGuard guard(device.ordinal);
    return Buffer(static_cast<std::size_t>(bytes));
  }
  // Both wait for what the device has still to do.
  static void zero(Buffer& b) {
    if (b.size() == 0) return;
    cuda_check(cudaMemset(b.data(), 0, b.size()), "cudaMemset");
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

}  // namespace weft::exec
