#pragma once
// The device to use when the user does not care. Law: the choice of a type depends on how this translation
// unit is compiled, the choice of a value on the machine it runs on.

#include <utility>

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
inline namespace host_target {

using best_device = Cpu;

// Returns f(Cpu{}): this translation unit is not compiled for a GPU.
template <class F>
decltype(auto) on_best_device(F&& f) {
  return std::forward<F>(f)(Cpu{});
}

}  // namespace host_target
#endif

}  // namespace WEFT_NAMESPACE
