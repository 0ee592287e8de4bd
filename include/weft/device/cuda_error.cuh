#pragma once
// Every status of the CUDA runtime goes through here. Law: none is ignored; a failure becomes Error
// "cuda/<name>", for example "cuda/cudaErrorMemoryAllocation", that names the call and what it was for, or
// "cuda/lost" where the process can use the GPU no more.

#include <cuda_runtime_api.h>

#include <cstdio>
#include <string>
#include <utility>

#include "weft/core/error.hpp"

namespace WEFT_NAMESPACE {

// Whether a failure stays: what a kernel did, or the hardware, has taken the GPU from the process.
constexpr bool cuda_is_lost(cudaError_t status) {
  switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorMpsRpcFailure:
    case cudaErrorExternalDevice:
      return true;
    default:
      return false;
  }
}

namespace detail {

[[noreturn]] inline void throw_cuda_lost(cudaError_t status, const std::string& where) {
  throw Error("cuda/lost",
              std::string("the process can use the GPU no more, its memory there is gone, and every "
                          "further call fails: end it and start again. What was found, ") +
                  where + ": " + cudaGetErrorName(status) + ", " + cudaGetErrorString(status) +
                  ". It may be of an earlier kernel, weft's or your own: compute-sanitizer, in "
                  "front of the program, names it");
}

[[noreturn]] inline void throw_cuda_error(cudaError_t status, const char* call, const char* context) {
  cudaGetLastError();  // forgets it, or an unrelated later check would report it again
  if (cuda_is_lost(status))
    throw_cuda_lost(status,
                    std::string("by ") + call + (context[0] != '\0' ? " for " + std::string(context) : ""));
  std::string message = std::string(call) + ": " + cudaGetErrorString(status);
  if (context[0] != '\0') message += " (" + std::string(context) + ")";
  throw Error(std::string("cuda/") + cudaGetErrorName(status), std::move(message));
}

}  // namespace detail

// Throws unless `status` is a success. `call` is the function, `context` what it was called for.
inline void cuda_check(cudaError_t status, const char* call, const char* context = "") {
  if (status != cudaSuccess) [[unlikely]]
    detail::throw_cuda_error(status, call, context);
}

// What failed before weft was called, in the caller's code or in a kernel that ran on, and whose status
// nobody has asked for: said as such, or the next launch would be blamed. An event or a stream that was asked
// and is not ready is no failure.
inline void cuda_check_earlier() {
  if (cudaPeekAtLastError() == cudaSuccess) [[likely]]
    return;
  const cudaError_t status = cudaGetLastError();
  if (status == cudaErrorNotReady) return;
  if (cuda_is_lost(status)) detail::throw_cuda_lost(status, "before a call");
  throw Error("cuda/earlier",
              std::string("before weft was called a CUDA call or a kernel had failed, whose status "
                          "nobody has asked for: ") +
                  cudaGetErrorName(status) + ", " + cudaGetErrorString(status));
}

// To be called after a kernel launch, which returns no status of its own. `kernel` is its name.
inline void cuda_check_launch(const char* kernel) { cuda_check(cudaGetLastError(), "kernel launch", kernel); }

// For destructors, which cannot throw: says so on stderr. A driver that is already shutting down at the end
// of the process has released everything itself.
inline void cuda_report(cudaError_t status, const char* call) noexcept {
  if (status == cudaSuccess || status == cudaErrorCudartUnloading) return;
  std::fprintf(stderr, "weft: %s: %s: %s\n", call, cudaGetErrorName(status), cudaGetErrorString(status));
}

}  // namespace WEFT_NAMESPACE
