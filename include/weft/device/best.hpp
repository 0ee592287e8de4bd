#pragma once
// The device to use when the user does not care. Law: the choice of a type depends on how this translation
// unit is compiled, the choice of a value on the machine it runs on.

#include <concepts>
#include <utility>

#include "weft/core/diagnose.hpp"
#include "weft/device/cpu.hpp"

#if defined(__CUDACC__)
#include "weft/device/cuda.cuh"
#endif

namespace WEFT_NAMESPACE {

// Two namespaces, so that a program may be built from translation units of both sorts.
#if defined(__CUDACC__)
inline namespace cuda_target {

using best_device = Cuda;

// Returns f(Cuda{}) if there is a GPU, else f(Cpu{}); both must have the same type.
template <class F>
decltype(auto) on_best_device(F&& f) {
  if (cuda_device_count() > 0) return std::forward<F>(f)(Cuda{});
  return std::forward<F>(f)(Cpu{});
}

}  // namespace cuda_target
#else
WEFT_REFUSAL(CudaNeedsNvcc,
             "this file is not compiled for a GPU: compile it by nvcc, as a .cu file or with -x cu, or write "
             "best_device{}, which is Cuda there and Cpu here");

inline namespace host_target {

using best_device = Cpu;

// In the place of the device: making one is refused, and naming none is.
struct Cuda {
  // Said where the constructor is chosen, as g++ looks into its body when all else has been said.
  template <std::integral Number = int, auto = sizeof(CudaNeedsNvcc<sizeof(Number) == 0, Cpu>)>
  constexpr explicit Cuda(Number = 0) {}
  constexpr operator Cpu() const { return {}; }
};

// Returns f(Cpu{}): this translation unit is not compiled for a GPU.
template <class F>
decltype(auto) on_best_device(F&& f) {
  return std::forward<F>(f)(Cpu{});
}

}  // namespace host_target
#endif

}  // namespace WEFT_NAMESPACE
