#pragma once
// A GPU's tensors as ranges of Thrust: iterators that know where they lead to, so that an algorithm runs on
// the GPU and a loop of the host over them copies element by element.
//
//   thrust::sort(thrust_policy(device), begin(t), end(t));

#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>

#include "weft/exec/cuda_tensor.cuh"

namespace WEFT_NAMESPACE {

// The elements in row-major order, of memory that lives as long as the tensor or as what the view is of.
template <class T, class S>
auto begin(Tensor<T, S, Cuda>& t) {
  return thrust::device_pointer_cast(t.data());
}
template <class T, class S>
auto begin(const Tensor<T, S, Cuda>& t) {
  return thrust::device_pointer_cast(t.data());
}
template <class T, class S>
auto begin(const TensorView<T, S, Cuda>& t) {
  return thrust::device_pointer_cast(t.data());
}
template <class T, class S>
auto end(Tensor<T, S, Cuda>& t) {
  return begin(t) + S::size;
}
template <class T, class S>
auto end(const Tensor<T, S, Cuda>& t) {
  return begin(t) + S::size;
}
template <class T, class S>
auto end(const TensorView<T, S, Cuda>& t) {
  return begin(t) + S::size;
}

// Thrust's algorithms in the device's stream, behind what functions and trainers of `device` have begun and
// before what they begin later; what they do has ended when they return. The device has to be the current
// one.
inline auto thrust_policy(const Cuda& device) {
  return thrust::cuda::par.on(device.stream != nullptr ? device.stream : cudaStreamPerThread);
}

}  // namespace WEFT_NAMESPACE
