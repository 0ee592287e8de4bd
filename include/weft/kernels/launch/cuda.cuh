#pragma once
// What every kernel of weft shares: the tag that keeps kernels of differently compiled libraries apart, and
// one step of a program, ready to be enqueued.

#include <string>

#include "weft/device/cuda.cuh"
#include "weft/kernels/evaluator/code.hpp"

// Two shared libraries with the same weak kernel can break each other's launches: kernels are hidden.
#define WEFT_KERNEL __attribute__((visibility("hidden")))

namespace WEFT_NAMESPACE::kernels {

namespace detail {

constexpr u64 hash_text(const char* text, u64 h) {
  for (; *text != '\0'; ++text)
    h = (h ^ static_cast<u64>(static_cast<unsigned char>(*text))) * 1099511628211u;
  return h;
}
#define WEFT_TEXT(...) #__VA_ARGS__
#define WEFT_TEXT_OF(...) WEFT_TEXT(__VA_ARGS__)
inline constexpr u64 version_number =
    WEFT_VERSION_MAJOR * 1000000 + WEFT_VERSION_MINOR * 1000 + WEFT_VERSION_PATCH;
// FNV-1a of the architectures this file is compiled for.
inline constexpr u64 targets_hash = hash_text(WEFT_TEXT_OF(__CUDA_ARCH_LIST__), 14695981039346656037u);
#undef WEFT_TEXT
#undef WEFT_TEXT_OF

}  // namespace detail

inline constexpr u64 kernel_tag = detail::targets_hash ^ detail::version_number;

// A grid of `blocks` blocks. Throws Error "cuda/grid" for more than a launch can have.
inline unsigned cuda_blocks(i64 blocks) {
  if (blocks < 1 || blocks > 2147483647)
    throw Error("cuda/grid",
                "a kernel would need " + std::to_string(blocks) + " blocks; a launch has at most 2147483647");
  return static_cast<unsigned>(blocks);
}

class CublasLtDots;
struct PartialSum;

// One step: pointers to device memory, numbers as its kind defines them.
struct CudaLaunch {
  void (*run)(const CudaLaunch&, cudaStream_t stream) = nullptr;
  LaunchArgs args;
  const u64* numbers = nullptr;
  int number_count = 0;
  PartialSum* sums = nullptr;  // of a second stage
  int sum_count = 0;
  CublasLtDots* dot = nullptr;  // of a product that the library runs
  void* library = nullptr;      // the library's scratch
};

// Of the present device.
inline i64 cuda_attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  cuda_check(cudaGetDevice(&device), "cudaGetDevice");
  cuda_check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

}  // namespace WEFT_NAMESPACE::kernels
