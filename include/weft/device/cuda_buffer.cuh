#pragma once
// Memory of the GPU and page-locked memory of the host: a fixed size, its own or the caller's, not
// initialised. Law: allocation happens in constructors only, and borrowed memory is never freed.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "weft/device/cpu.hpp"
#include "weft/device/cuda.cuh"

namespace WEFT_NAMESPACE {

namespace detail {

struct DeviceMemory {
  static constexpr const char* allocate_name = "cudaMalloc";
  static cudaError_t allocate(void** p, std::size_t bytes) { return cudaMalloc(p, bytes); }
  static void release(void* p) noexcept { cuda_report(cudaFree(p), "cudaFree"); }
};

struct PinnedMemory {
  static constexpr const char* allocate_name = "cudaMallocHost";
  static cudaError_t allocate(void** p, std::size_t bytes) { return cudaMallocHost(p, bytes); }
  static void release(void* p) noexcept { cuda_report(cudaFreeHost(p), "cudaFreeHost"); }
};

}  // namespace detail

// Kind says how memory is taken and given back. Both kinds start at multiples of 256 bytes; errors are those
// of cudaMalloc ("cuda/cudaErrorMemoryAllocation"), and "cuda/misaligned" for caller-provided memory.
template <class Kind>
class CudaBuffer {
 public:
  CudaBuffer() = default;
  // Allocates on the thread's current device, by `allocator` if there is one.
  explicit CudaBuffer(std::size_t bytes, CudaAllocator* allocator = nullptr)
      : bytes_(bytes), allocator_(allocator) {
    if (bytes == 0) return;
    void* data = nullptr;
    const std::string context = std::to_string(bytes) + " bytes";
    if (allocator != nullptr) {
      cuda_check(cudaGetDevice(&ordinal_), "cudaGetDevice");
      data = allocated_by(*allocator, bytes, context);
    } else {
      cuda_check(Kind::allocate(&data, bytes), Kind::allocate_name, context.c_str());
    }
    data_ = static_cast<std::byte*>(data);
    owned_ = true;
  }
  // Uses memory that belongs to the caller.
  static CudaBuffer borrow(void* data, std::size_t bytes) {
    if (reinterpret_cast<std::uintptr_t>(data) % buffer_alignment != 0 || (data == nullptr && bytes > 0)) {
      throw Error("cuda/misaligned", "memory lent to weft must start at a multiple of 256 bytes");
    }
    CudaBuffer buffer;
    buffer.data_ = static_cast<std::byte*>(data);
    buffer.bytes_ = bytes;
    return buffer;
  }

  CudaBuffer(CudaBuffer&& other) noexcept { swap(other); }
  CudaBuffer& operator=(CudaBuffer&& other) noexcept {
    CudaBuffer(std::move(other)).swap(*this);
    return *this;
  }
  ~CudaBuffer() {
    if (!owned_) return;
    if (allocator_ != nullptr)
      release_to_allocator();
    else
      Kind::release(data_);
  }

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  bool owned() const { return owned_; }

 private:
  static void* allocated_by(CudaAllocator& allocator, std::size_t bytes, const std::string& context) {
    void* const data = allocator.allocate(bytes);
    if (data == nullptr)
      throw Error("cuda/cudaErrorMemoryAllocation", "the caller's allocator has no memory (" + context + ")");
    if (reinterpret_cast<std::uintptr_t>(data) % buffer_alignment != 0) {
      allocator.release(data, bytes);
      throw Error("cuda/misaligned", "the caller's allocator must give memory at multiples of 256 bytes");
    }
    return data;
  }
  // As cudaFree does, waits for what was enqueued and may use the memory.
  void release_to_allocator() noexcept {
    try {
      const DeviceGuard guard(ordinal_);
      cuda_wait_for_device();
      allocator_->release(data_, bytes_);
    } catch (const Error& error) {  // the GPU is gone, and with it the memory
      std::fprintf(stderr, "weft: %s\n", error.what());
    }
  }
  void swap(CudaBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(owned_, other.owned_);
    std::swap(allocator_, other.allocator_);
    std::swap(ordinal_, other.ordinal_);
  }

  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool owned_ = false;
  CudaAllocator* allocator_ = nullptr;
  int ordinal_ = 0;  // of the GPU, where there is an allocator
};

using DeviceBuffer = CudaBuffer<detail::DeviceMemory>;
using PinnedBuffer = CudaBuffer<detail::PinnedMemory>;

// Enqueues a copy; the direction follows from the addresses. Host memory that is not page-locked makes the
// call wait.
inline void cuda_copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return;  // perhaps nowhere
  cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
}

// Enqueues setting bytes of device memory to zero.
inline void cuda_zero(void* data, std::size_t bytes, cudaStream_t stream) {
  cuda_check(cudaMemsetAsync(data, 0, bytes, stream), "cudaMemsetAsync");
}

}  // namespace WEFT_NAMESPACE
