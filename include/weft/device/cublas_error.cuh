#pragma once
// Every status of cuBLAS and cuBLASLt goes through here. Law: none is ignored; a failure becomes Error
// "cublas/<name>", for example "cublas/CUBLAS_STATUS_NOT_SUPPORTED".

#include <cublasLt.h>

#include <cstdio>
#include <string>
#include <utility>

#include "weft/core/error.hpp"

namespace WEFT_NAMESPACE {

// Throws unless `status` is a success. `call` is the function, `context` what it was called for.
inline void cublas_check(cublasStatus_t status, const char* call, const char* context = "") {
  if (status == CUBLAS_STATUS_SUCCESS) [[likely]]
    return;
  std::string message = std::string(call) + ": " + cublasLtGetStatusString(status);
  if (context[0] != '\0') message += " (" + std::string(context) + ")";
  throw Error(std::string("cublas/") + cublasLtGetStatusName(status), std::move(message));
}

// For destructors, which cannot throw: says so on stderr.
inline void cublas_report(cublasStatus_t status, const char* call) noexcept {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "weft: %s: %s\n", call, cublasLtGetStatusName(status));
}

}  // namespace WEFT_NAMESPACE
