#pragma once
// An NVIDIA GPU as a device: the tag that users pass, and what it takes to use it. Law: whoever changes the
// calling thread's current device restores it, and a caller's stream is never destroyed.

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>

#include "weft/core/types.hpp"
#include "weft/device/cuda_error.cuh"

namespace WEFT_NAMESPACE {

// Where device memory comes from, if not from cudaMalloc: a pool of the caller's, which outlives everything
// made on a device that names it. Called with the GPU current, by the thread that makes or destroys a tensor,
// a model, a function or a trainer, which may be several.
class CudaAllocator {
 public:
  // Memory of the current GPU, from a multiple of 256 bytes on, that any stream may use at once; null or an
  // exception where there is none.
  virtual void* allocate(std::size_t bytes) = 0;
  // Of what allocate(bytes) gave; no work that uses it is left.
  virtual void release(void* data, std::size_t bytes) noexcept = 0;

 protected:
  ~CudaAllocator() = default;
};

// `ordinal` counts the visible GPUs from 0. `stream` is the caller's, or null for cudaStreamPerThread, in
// which everything that one thread starts on one GPU is in order, across programs, and waits for work in the
// legacy default stream (cudaStreamLegacy, which must be named).
struct Cuda {
  int ordinal = 0;                     // number of the GPU, from 0
  cudaStream_t stream = nullptr;       // where work is queued; the calling thread's own
  CudaAllocator* allocator = nullptr;  // where memory comes from; cudaMalloc
  bool operator==(const Cuda&) const = default;
};

// How many GPUs are there: 0 without a driver. Never throws.
inline int cuda_device_count() noexcept {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();
  return 0;
}

// Throws Error "cuda/no-device", with advice, where no GPU can be used, and "cuda/no-such-device" where
// there are GPUs but not this one.
inline void require_cuda(const Cuda& cuda) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  const std::string name = "Cuda{" + std::to_string(cuda.ordinal) + "}";
  if (status != cudaSuccess || count == 0) {
    cudaGetLastError();
    throw Error("cuda/no-device",
                name + " needs an NVIDIA GPU and this process sees none" +
                    (status == cudaSuccess ? std::string() : std::string(": ") + cudaGetErrorString(status)) +
                    ". Pass Cpu{}, or let on_best_device(...) choose at run time. If there is a GPU, run "
                    "nvidia-smi, and look at CUDA_VISIBLE_DEVICES and at the driver's version.");
  }
  if (cuda.ordinal < 0 || cuda.ordinal >= count) {
    throw Error("cuda/no-such-device", name + " does not exist: this process sees " + std::to_string(count) +
                                           " GPU(s), counted from 0");
  }
}

// Makes a device current for the calling thread and restores the caller's at the end of the scope.
class DeviceGuard {
 public:
  explicit DeviceGuard(int ordinal) {
    cuda_check(cudaGetDevice(&before_), "cudaGetDevice");
    if (before_ == ordinal) return;
    cuda_check(cudaSetDevice(ordinal), "cudaSetDevice");
    changed_ = true;
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard() {
    if (changed_) cuda_report(cudaSetDevice(before_), "cudaSetDevice");
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

// Whether what is enqueued there is recorded into somebody's graph, and does not run.
inline bool cuda_is_capturing(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy) return false;  // cannot be
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cuda_check(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

// CUDA forbids waiting for a whole device while any thread captures a stream of it: whoever does either holds
// this. (Recursive, so that waiting inside one's own capture is CUDA's error and no deadlock.)
inline std::recursive_mutex& capture_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

// What is asked while the host waits for a GPU, which may itself wait for another process that never comes.
class CudaWatch {
 public:
  // Throws where the GPU would wait for ever. Gives the core to others.
  virtual void look() = 0;
  // Whether the GPU waits for no other process.
  virtual bool is_idle() = 0;

 protected:
  ~CudaWatch() = default;
};
// The process's; null where its GPUs depend on nobody. It is never destroyed.
inline std::atomic<CudaWatch*>& cuda_watch() {
  static std::atomic<CudaWatch*> watch{nullptr};
  return watch;
}
// Where somebody watches, returns when ready(watch), or throws what the watch does; else at once.
template <class Ready>
void cuda_await(const Ready& ready) {
  CudaWatch* const watch = cuda_watch().load(std::memory_order_acquire);
  if (watch == nullptr) [[likely]]
    return;
  while (!ready(*watch)) watch->look();
}
// Whether a query says so; one that is not ready is no error to be reported later.
inline bool cuda_is_ready(cudaError_t status, const char* call) {
  if (status == cudaErrorNotReady) {
    cudaGetLastError();
    return false;
  }
  cuda_check(status, call);
  return true;
}

// Returns when all work of the thread's current device has ended, in whichever stream.
inline void cuda_wait_for_device() {
  cuda_await([](CudaWatch& watch) { return watch.is_idle(); });
  const std::lock_guard lock(capture_mutex());
  cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

// A stream: one of its own (which does not wait for the legacy default stream), or the caller's.
class Stream {
 public:
  Stream() {
    cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  explicit Stream(cudaStream_t borrowed) : stream_(borrowed), owned_(false) {}
  Stream(Stream&& other) noexcept
      : stream_(std::exchange(other.stream_, nullptr)), owned_(std::exchange(other.owned_, false)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~Stream() {
    if (owned_) cuda_report(cudaStreamDestroy(stream_), "cudaStreamDestroy");
  }

  cudaStream_t get() const { return stream_; }
  bool owned() const { return owned_; }
  // Waits until all work enqueued so far has ended; errors of that work surface here.
  void synchronize() const {
    cuda_await([this](CudaWatch&) { return cuda_is_ready(cudaStreamQuery(stream_), "cudaStreamQuery"); });
    cuda_check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

 private:
  cudaStream_t stream_ = nullptr;
  bool owned_ = true;
};

// A mark in a stream. Timing costs a little, so it is opt-in.
class Event {
 public:
  explicit Event(bool timing = false) {
    cuda_check(cudaEventCreateWithFlags(&event_, timing ? cudaEventDefault : cudaEventDisableTiming),
               "cudaEventCreateWithFlags");
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Event() {
    if (event_ != nullptr) cuda_report(cudaEventDestroy(event_), "cudaEventDestroy");
  }

  cudaEvent_t get() const { return event_; }
  void record(cudaStream_t stream) { cuda_check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  // Makes later work of `stream` wait for the mark; the host continues.
  void block(cudaStream_t stream) const {
    cuda_check(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent");
  }
  // The host waits for the mark; at once if it was never recorded.
  void synchronize() const {
    cuda_await([this](CudaWatch&) { return reached(); });
    cuda_check(cudaEventSynchronize(event_), "cudaEventSynchronize");
  }
  bool reached() const { return cuda_is_ready(cudaEventQuery(event_), "cudaEventQuery"); }
  // Milliseconds from `start` to this event; both with timing, both reached.
  float milliseconds_since(const Event& start) const {
    float elapsed = 0;
    cuda_check(cudaEventElapsedTime(&elapsed, start.event_, event_), "cudaEventElapsedTime");
    return elapsed;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// A device in use: checked, with the stream of its work. Everything that runs on a GPU starts from one.
class CudaContext {
 public:
  explicit CudaContext(const Cuda& cuda) : ordinal_(checked(cuda)), stream_(make_stream(cuda)) {
    cuda_check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, ordinal_),
               "cudaDeviceGetAttribute");
    cuda_check(cudaDeviceGetAttribute(&shared_bytes_, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal_),
               "cudaDeviceGetAttribute");
  }

  int ordinal() const { return ordinal_; }
  cudaStream_t stream() const { return stream_.get(); }
  int multiprocessors() const { return multiprocessors_; }
  // The most shared memory that one block may opt in to, in bytes.
  int max_shared_bytes() const { return shared_bytes_; }
  void synchronize() const { stream_.synchronize(); }

 private:
  static int checked(const Cuda& cuda) {
    require_cuda(cuda);
    return cuda.ordinal;
  }
  static Stream make_stream(const Cuda& cuda) {
    DeviceGuard guard(cuda.ordinal);
    return Stream(cuda.stream == nullptr ? cudaStreamPerThread : cuda.stream);
  }

  int ordinal_;
  Stream stream_;
  int multiprocessors_ = 0;
  int shared_bytes_ = 0;
};

}  // namespace WEFT_NAMESPACE
