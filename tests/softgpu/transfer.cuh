#pragma once
// Arrays to the device and back, for tests of single instructions.

#include <vector>

#include "weft/device/cuda_buffer.cuh"

namespace softgpu_test {

using weft::cuda_check;
using weft::DeviceBuffer;

template <class T>
DeviceBuffer upload(const std::vector<T>& v) {
  DeviceBuffer buffer(v.size() * sizeof(T));
  cuda_check(cudaMemcpy(buffer.data(), v.data(), buffer.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
  return buffer;
}
template <class T>
std::vector<T> download(const DeviceBuffer& buffer) {
  std::vector<T> v(buffer.size() / sizeof(T));
  cuda_check(cudaGetLastError(), "launch");
  cuda_check(cudaMemcpy(v.data(), buffer.data(), buffer.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return v;
}
template <class T>
T* pointer(const DeviceBuffer& buffer) {
  return reinterpret_cast<T*>(buffer.data());
}

}  // namespace softgpu_test
