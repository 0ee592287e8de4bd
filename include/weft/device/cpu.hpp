#pragma once
// The host as a device: a tag that users pass, and memory aligned for Simds of lanes and for files. Law: no
// result depends on the number of threads.

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include "weft/core/error.hpp"
#include "weft/core/types.hpp"
#include "weft/device/host_memory.hpp"

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace WEFT_NAMESPACE {

// `threads` is how many threads a program may use; 0 leaves it to OpenMP.
struct Cpu {
  int threads = 0;  // 0: as many as OpenMP says (OMP_NUM_THREADS)
  constexpr bool operator==(const Cpu&) const = default;
};

// The number of threads that `cpu` stands for: 1 where OpenMP is not compiled in. A negative number throws
// Error "cpu/threads".
inline int cpu_threads(const Cpu& cpu) {
  if (cpu.threads < 0) {
    throw Error("cpu/threads",
                "Cpu{" + std::to_string(cpu.threads) + "}: give 0 for OpenMP's choice, or a number");
  }
#if defined(_OPENMP)
  return cpu.threads == 0 ? omp_get_max_threads() : cpu.threads;
#else
  return 1;
#endif
}

// Bytes at which every buffer of the host and of the GPU starts.
inline constexpr std::size_t buffer_alignment = 256;

// Throws "cpu/out-of-memory" where the process could not have so much more; malloc promises more than there
// is.
inline void require_host_memory(std::size_t bytes) {
  // what is small is not worth the question
  const i64 left = bytes >= (std::size_t{64} << 20) ? available_host_memory() : -1;
  if (left >= 0 && bytes > static_cast<std::size_t>(left))
    throw Error("cpu/out-of-memory",
                std::to_string(bytes >> 20) + " MB are wanted at once, and " + std::to_string(left >> 20) +
                    " MB are left to this process, by the machine and the limits of its control groups");
}

// Host memory of a fixed size, 256-byte aligned, not initialised: its own, or lent by the caller, who then
// keeps it alive. Errors: "cpu/out-of-memory", "cpu/misaligned".
class HostBuffer {
 public:
  HostBuffer() = default;
  explicit HostBuffer(std::size_t bytes) : bytes_(bytes), owned_(bytes > 0) {
    if (bytes == 0) return;
    require_host_memory(bytes);
    data_ = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{buffer_alignment}, std::nothrow));
    if (data_ == nullptr) {
      throw Error("cpu/out-of-memory", "no host memory for " + std::to_string(bytes) + " bytes");
    }
  }

  // Uses memory that belongs to the caller.
  static HostBuffer borrow(void* data, std::size_t bytes) {
    if (reinterpret_cast<std::uintptr_t>(data) % buffer_alignment != 0 || (data == nullptr && bytes > 0)) {
      throw Error("cpu/misaligned", "memory lent to weft must start at a multiple of 256 bytes");
    }
    HostBuffer buffer;
    buffer.data_ = static_cast<std::byte*>(data);
    buffer.bytes_ = bytes;
    return buffer;
  }

  HostBuffer(HostBuffer&& other) noexcept { swap(other); }
  HostBuffer& operator=(HostBuffer&& other) noexcept {
    HostBuffer(std::move(other)).swap(*this);
    return *this;
  }
  ~HostBuffer() {
    if (owned_) ::operator delete (data_, std::align_val_t{buffer_alignment});
  }

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  bool owned() const { return owned_; }

 private:
  void swap(HostBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(owned_, other.owned_);
  }

  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool owned_ = false;
};

}  // namespace WEFT_NAMESPACE
