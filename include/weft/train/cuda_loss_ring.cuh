#pragma once
// Losses of a GPU: each is copied to page-locked memory behind its step, and an event says when it is there.

#include <vector>

#include "weft/targets/cuda/program.cuh"
#include "weft/train/loss_ring.hpp"

namespace WEFT_NAMESPACE::train {

template <>
class DeviceLossRing<Cuda> final : public LossRing {
 public:
  explicit DeviceLossRing(const Cuda& device) : ordinal_(device.ordinal) {
    DeviceGuard guard(ordinal_);
    value_ = PinnedBuffer(size * sizeof(f32));
    taken_ = std::vector<Event>(static_cast<std::size_t>(size));
  }
  template <class Program>
  void take(const Program& program) {
    DeviceGuard guard(ordinal_);
    const int slot = open();
    cuda_check(cudaMemcpyAsync(value_.data() + slot * sizeof(f32), program.output(0), sizeof(f32),
                               cudaMemcpyDeviceToHost, program.stream()),
               "cudaMemcpyAsync", "the loss of a step");
    taken_[static_cast<std::size_t>(slot)].record(program.stream());
  }

 private:
  f32 wait(int slot) const override {
    taken_[static_cast<std::size_t>(slot)].synchronize();
    return reinterpret_cast<const f32*>(value_.data())[slot];
  }

  int ordinal_;
  PinnedBuffer value_;
  std::vector<Event> taken_;  // when the slot's value has arrived
};

}  // namespace WEFT_NAMESPACE::train
