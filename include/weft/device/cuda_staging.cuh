#pragma once
// The staging ring of a GPU: pinned slots, asynchronous copies on one stream, an event a slot.

#include "weft/device/cuda_buffer.cuh"
#include "weft/device/staging_ring.hpp"

namespace WEFT_NAMESPACE {

struct CudaStagingBackend {
  using Memory = PinnedBuffer;
  using Mark = Event;
  cudaStream_t stream = nullptr;

  void copy(void* device, const std::byte* slot, std::size_t bytes) {
    cuda_check(cudaMemcpyAsync(device, slot, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync",
               "staging");
  }
  void record(Event& mark) { mark.record(stream); }
  void wait(Event& mark) { mark.synchronize(); }
};

// CudaStagingRing ring({stream}, slots, bytes_per_slot);
using CudaStagingRing = StagingRing<CudaStagingBackend>;

}  // namespace WEFT_NAMESPACE
