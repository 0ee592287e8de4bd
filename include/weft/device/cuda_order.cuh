#pragma once
// The streams that work on one piece of memory, put in order. Law: what reads runs behind what wrote last,
// and what writes behind all that read or wrote before; the host waits for nothing.

#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "weft/core/shared.hpp"
#include "weft/device/cuda.cuh"

namespace WEFT_NAMESPACE {

// Every stream given is of the current GPU, and none is being captured. Several threads may call.
class CudaOrder final : public Counted {
 public:
  void before_read(cudaStream_t stream) {
    const std::lock_guard lock(mutex_);
    if (written_) written_->block(stream);
  }
  void after_read(cudaStream_t stream) {
    const std::lock_guard lock(mutex_);
    for (Mark& reader : readers_)
      if (reader.is_of(stream)) return reader.record();
    readers_.emplace_back(stream).record();
  }
  void before_write(cudaStream_t stream) {
    const std::lock_guard lock(mutex_);
    if (written_) written_->block(stream);
    for (const Mark& reader : readers_) reader.block(stream);
    readers_.clear();
  }
  void after_write(cudaStream_t stream) {
    const std::lock_guard lock(mutex_);
    if (!written_ || !written_->is_of(stream)) written_.emplace(stream);
    written_->record();
  }

 private:
  // How far one stream has come. cudaStreamPerThread is another one in each thread and on each GPU.
  class Mark {
   public:
    explicit Mark(cudaStream_t stream) : stream_(stream), thread_(this_thread()) {
      cuda_check(cudaGetDevice(&ordinal_), "cudaGetDevice");
    }
    bool is_of(cudaStream_t stream) const {
      int ordinal = 0;
      cuda_check(cudaGetDevice(&ordinal), "cudaGetDevice");
      return stream == stream_ && ordinal == ordinal_ &&
             (stream != cudaStreamPerThread || thread_ == this_thread());
    }
    void record() { event_.record(stream_); }
    void block(cudaStream_t stream) const {
      if (!is_of(stream)) event_.block(stream);
    }

   private:
    // No thread has the number of one that has ended, whose stream may still be at work.
    static u64 this_thread() {
      static std::atomic<u64> threads{0};
      static thread_local const u64 number = ++threads;
      return number;
    }
    Event event_;
    cudaStream_t stream_;
    u64 thread_;
    int ordinal_ = 0;
  };

  std::mutex mutex_;
  std::optional<Mark> written_;
  std::vector<Mark> readers_;
};

}  // namespace WEFT_NAMESPACE
