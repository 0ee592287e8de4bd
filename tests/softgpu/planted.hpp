#pragma once
// What a planted fault is; planted.cu has those of kernels and looks at what is said, planted_calls.cpp has
// those of calls.

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

namespace planted {

inline constexpr int reported = 86, went_on = 3;  // how a program ends

// What a case does, and what must be said: words that come in this order. Those of a kernel also say where.
struct Case {
  const char* name;
  void (*run)();
  const char* said;
  bool in_kernel = true;
  bool newest = false;  // of code for sm_90a
};

std::vector<Case> cases_of_calls();

template <class T = int>
T* device_memory(std::size_t count, bool filled = true) {
  T* p = nullptr;
  cudaMalloc(&p, count * sizeof(T));
  if (filled) cudaMemset(p, 0, count * sizeof(T));
  return p;
}
inline void finish() { cudaDeviceSynchronize(); }
inline cudaStream_t new_stream() {
  cudaStream_t made = nullptr;
  cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
  return made;
}

// Work of two streams on 128 numbers, in no order. Mostly `first` runs first, and in one of several rounds it
// does.
template <class First, class Second>
void in_two_streams(const First& first, const Second& second) {
  cudaStream_t const a = new_stream(), b = new_stream();
  for (int round = 0; round < 4; ++round) {
    int* const p = device_memory(128);
    finish();
    second(p, b);
    first(p, a);
    cudaStreamSynchronize(a);
    finish();
  }
}

}  // namespace planted
