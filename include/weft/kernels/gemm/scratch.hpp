#pragma once
// Working memory of the matrix product: one block a thread, grown at the thread's first large product and
// kept until the thread ends, so that a program's later steps allocate nothing.

#include <new>

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::kernels {

class DotScratch {
 public:
  DotScratch() = default;
  DotScratch(const DotScratch&) = delete;
  DotScratch& operator=(const DotScratch&) = delete;
  ~DotScratch() { release(); }

  // At least `bytes` bytes, 64-byte aligned; what they held before may be gone.
  void* get(i64 bytes) {
    if (bytes > bytes_) {
      release();
      data_ = ::operator new (static_cast<std::size_t>(bytes), std::align_val_t{64});
      bytes_ = bytes;
    }
    return data_;
  }

 private:
  void release() {
    if (data_) ::operator delete (data_, std::align_val_t{64});
    data_ = nullptr;
    bytes_ = 0;
  }
  void* data_ = nullptr;
  i64 bytes_ = 0;
};

inline DotScratch& dot_scratch() {
  static thread_local DotScratch scratch;
  return scratch;
}

}  // namespace WEFT_NAMESPACE::kernels
