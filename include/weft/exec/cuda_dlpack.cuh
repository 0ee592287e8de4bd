#pragma once
// Tensors of a GPU handed over by DLPack, and the streams of both sides put in order.

#include "weft/exec/cuda_tensor.cuh"
#include "weft/exec/dlpack.hpp"

namespace WEFT_NAMESPACE {
namespace dlpack {

template <>
struct DeviceTraits<Cuda> {
  static DeviceId id(const void* data) { return {cuda, data == nullptr ? 0 : exec::device_of(data)}; }
  static bool is_readable(DeviceId id) { return id.type == cuda || id.type == cuda_managed; }
  template <class T, class S>
  static Tensor<std::remove_const_t<T>, S, Cuda> copy(const TensorView<T, S, Cuda>& view) {
    return Tensor<std::remove_const_t<T>, S, Cuda>(view, Cuda{exec::device_of(view.data())});
  }
  static void wait(const void* data) {
    if (data == nullptr) return;
    DeviceGuard guard(exec::device_of(data));
    cuda_wait_for_device();
  }
};

}  // namespace dlpack

// Work of `consumer` from now on runs behind what `producer` has to do so far; the host goes on. Either may
// be of another GPU.
inline void hand_over(const Cuda& producer, cudaStream_t consumer) {
  DeviceGuard guard(producer.ordinal);
  Event mark;
  mark.record(producer.stream == nullptr ? cudaStreamPerThread : producer.stream);
  mark.block(consumer);
}

}  // namespace WEFT_NAMESPACE
