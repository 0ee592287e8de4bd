// cuBLASLt's entry points, as far as weft calls them. The library's setters refuse almost nothing; what it
// cannot do is found by the heuristic and by the product.
#include <algorithm>
#include <cstring>

#include "softgpu/cublaslt/matmul.hpp"
#include "softgpu/report.hpp"
#include "softgpu/runtime/runtime.hpp"

using namespace softgpu;
using lt::Descriptor;
using lt::Matrix;

namespace {

// An algorithm wants some scratch, so that programs are seen to give it.
constexpr u64 wanted_workspace = 4096;

struct Preference {
  u64 workspace = 0;
  u32 alignment[4]{256, 256, 256, 256};  // of A, B, C, D
};
struct Algorithm {
  u64 workspace = 0;
  u32 alignment[4]{};
  u32 valid = 0;
};
constexpr u32 valid_algorithm = 0x50f7;

static_assert(sizeof(Descriptor) <= sizeof(cublasLtMatmulDescOpaque_t));
static_assert(sizeof(Matrix) <= sizeof(cublasLtMatrixLayoutOpaque_t));
static_assert(sizeof(Preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t));
static_assert(sizeof(Algorithm) <= sizeof(cublasLtMatmulAlgo_t));

template <class T, class Opaque>
T& inside(Opaque* opaque) {
  return *reinterpret_cast<T*>(opaque);
}
template <class T>
T copied(const void* opaque) {
  T value;
  std::memcpy(static_cast<void*>(&value), opaque, sizeof value);
  return value;
}

// Where an attribute is kept and how many bytes it has; null for those that are not known.
struct Field {
  void* at = nullptr;
  size_t bytes = 0;
};
template <class T>
Field field(T& value) {
  return {&value, sizeof value};
}
Field field_of(Descriptor& d, cublasLtMatmulDescAttributes_t which) {
  switch (which) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
      return field(d.compute);
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
      return field(d.scale);
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return field(d.transpose_a);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return field(d.transpose_b);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return field(d.epilogue);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return field(d.bias);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
      return field(d.bias_type);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
      return field(d.aux);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
      return field(d.aux_ld);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE:
      return field(d.aux_stride);
    default:
      return {};
  }
}
Field field_of(Matrix& m, cublasLtMatrixLayoutAttribute_t which) {
  switch (which) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
      return field(m.type);
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
      return field(m.rows);
    case CUBLASLT_MATRIX_LAYOUT_COLS:
      return field(m.cols);
    case CUBLASLT_MATRIX_LAYOUT_LD:
      return field(m.ld);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return field(m.batch);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return field(m.stride);
    default:
      return {};
  }
}
cublasStatus_t set(Field f, const void* from, size_t bytes) {
  if (f.at == nullptr || from == nullptr || bytes != f.bytes) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(f.at, from, bytes);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t get(Field f, void* to, size_t bytes, size_t* written) {
  if (written != nullptr) *written = f.bytes;
  if (f.at == nullptr || (bytes != 0 && bytes < f.bytes)) return CUBLAS_STATUS_INVALID_VALUE;
  if (bytes != 0) std::memcpy(to, f.at, f.bytes);
  return CUBLAS_STATUS_SUCCESS;
}

const char* name_of(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    default:
      return "CUBLAS_STATUS of another kind";
  }
}

std::set<cublasLtHandle_t>& handles() {
  static auto* const live = new std::set<cublasLtHandle_t>;
  return *live;
}
bool known(cublasLtHandle_t handle, const char* call) {
  if (handles().count(handle) != 0) return true;
  report("invalid handle", call, std::string(call) + ": a cuBLASLt handle that was destroyed or never made");
  return false;
}

__attribute__((destructor)) void at_end_of_library() {
  if (!handles().empty())
    report("never destroyed", "cublasLt", std::to_string(handles().size()) + " cuBLASLt handles");
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  const std::lock_guard lock(runtime().mutex);
  *handle = reinterpret_cast<cublasLtHandle_t>(new char[1]);
  handles().insert(*handle);
  return CUBLAS_STATUS_SUCCESS;
}
// The library waits for the whole device, as has been seen in the driver's log of errors (CUDA 13.0).
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  if (cudaDeviceSynchronize() != cudaSuccess) return CUBLAS_STATUS_EXECUTION_FAILED;
  const std::lock_guard lock(runtime().mutex);
  if (!known(handle, "cublasLtDestroy")) return CUBLAS_STATUS_NOT_INITIALIZED;
  handles().erase(handle);  // its address is not used again
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasLtGetStatusName(cublasStatus_t status) { return name_of(status); }
const char* cublasLtGetStatusString(cublasStatus_t status) { return name_of(status); }

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t d, size_t, cublasComputeType_t compute,
                                               cudaDataType_t scale) {
  Descriptor made;
  made.compute = compute;
  made.scale = scale;
  inside<Descriptor>(d) = made;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t which,
                                              const void* from, size_t bytes) {
  return set(field_of(inside<Descriptor>(d), which), from, bytes);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t which,
                                              void* to, size_t bytes, size_t* written) {
  return get(field_of(inside<Descriptor>(d), which), to, bytes, written);
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t m, size_t, cudaDataType type,
                                                 uint64_t rows, uint64_t cols, int64_t ld) {
  Matrix made;
  made.type = type;
  made.rows = rows;
  made.cols = cols;
  made.ld = ld;
  inside<Matrix>(m) = made;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t m,
                                                cublasLtMatrixLayoutAttribute_t which, const void* from,
                                                size_t bytes) {
  return set(field_of(inside<Matrix>(m), which), from, bytes);
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t m,
                                                cublasLtMatrixLayoutAttribute_t which, void* to, size_t bytes,
                                                size_t* written) {
  return get(field_of(inside<Matrix>(m), which), to, bytes, written);
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t p, size_t) {
  inside<Preference>(p) = Preference{};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t p,
                                                    cublasLtMatmulPreferenceAttributes_t which,
                                                    const void* from, size_t bytes) {
  Preference& preference = inside<Preference>(p);
  switch (which) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return set(field(preference.workspace), from, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
      return set(field(preference.alignment[0]), from, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
      return set(field(preference.alignment[1]), from, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
      return set(field(preference.alignment[2]), from, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return set(field(preference.alignment[3]), from, bytes);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return CUBLAS_STATUS_SUCCESS;  // nothing is split here
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t d,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t result,
                                              cublasLtMatmulPreference_t p, int most,
                                              cublasLtMatmulHeuristicResult_t results[], int* count) {
  const std::lock_guard lock(runtime().mutex);
  *count = 0;
  if (!known(handle, "cublasLtMatmulAlgoGetHeuristic")) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (most < 1) return CUBLAS_STATUS_INVALID_VALUE;
  if (settings().products == 0 || lt::refusal(inside<Descriptor>(d), inside<Matrix>(a), inside<Matrix>(b),
                                              inside<Matrix>(c), inside<Matrix>(result)) != nullptr)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const Preference& preference = inside<Preference>(p);
  int widest = 1;  // element
  for (cublasLtMatrixLayout_t x : {a, b, c, result})
    widest = std::max(widest, lt::type_bytes(inside<Matrix>(x).type));
  for (const u32 alignment : preference.alignment)
    if (settings().products == 2 && alignment > static_cast<u32>(widest)) return CUBLAS_STATUS_NOT_SUPPORTED;
  Algorithm algorithm;
  algorithm.workspace = preference.workspace >= wanted_workspace ? wanted_workspace : 0;
  for (int k = 0; k < 4; ++k) algorithm.alignment[k] = preference.alignment[k];
  algorithm.valid = valid_algorithm;
  results[0] = {};
  std::memcpy(&results[0].algo, &algorithm, sizeof algorithm);
  results[0].workspaceSize = algorithm.workspace;
  results[0].state = CUBLAS_STATUS_SUCCESS;
  results[0].wavesCount = 1;
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t*,
                                                    cublasLtMatmulAlgoConfigAttributes_t, void* to,
                                                    size_t bytes, size_t* written) {
  std::memset(to, 0, bytes);  // one sequence of sums: CUBLASLT_REDUCTION_SCHEME_NONE, a split of 0
  if (written != nullptr) *written = bytes;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t d, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t c_layout, void* result, cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace, size_t workspace_bytes,
                              cudaStream_t stream_handle) {
  const std::lock_guard lock(runtime().mutex);
  if (!known(handle, "cublasLtMatmul")) return CUBLAS_STATUS_NOT_INITIALIZED;
  lt::Product p;
  p.what = inside<Descriptor>(d);
  p.a = inside<Matrix>(a_layout);
  p.b = inside<Matrix>(b_layout);
  p.c = inside<Matrix>(c_layout);
  p.d = inside<Matrix>(d_layout);
  if (lt::refusal(p.what, p.a, p.b, p.c, p.d) != nullptr) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool wide = p.what.scale == CUDA_R_64F;
  p.alpha = wide ? copied<double>(alpha) : static_cast<double>(copied<float>(alpha));
  p.beta = wide ? copied<double>(beta) : static_cast<double>(copied<float>(beta));
  p.a_at = reinterpret_cast<u64>(a);
  p.b_at = reinterpret_cast<u64>(b);
  p.c_at = reinterpret_cast<u64>(c);
  p.d_at = reinterpret_cast<u64>(result);
  if (algorithm != nullptr) {
    const auto chosen = copied<Algorithm>(algorithm);
    if (chosen.valid != valid_algorithm || chosen.workspace > workspace_bytes)
      return CUBLAS_STATUS_INVALID_VALUE;
    p.workspace_bytes = chosen.workspace;
    p.workspace = reinterpret_cast<u64>(workspace);
    const u64 pointers[] = {p.a_at, p.b_at, p.beta != 0 ? p.c_at : 0, p.d_at};
    for (int k = 0; k < 4; ++k)
      if (pointers[k] % chosen.alignment[k] != 0) {
        report("misaligned", "cublasLtMatmul",
               "cublasLtMatmul: " + std::string(1, "ABCD"[k]) + " at " + hex(pointers[k]) +
                   " is less aligned than the heuristic was told");
        return CUBLAS_STATUS_INVALID_VALUE;
      }
  }
  Stream* const stream = runtime().stream(stream_handle, "cublasLtMatmul");
  if (stream == nullptr || runtime().sticky != cudaSuccess) return CUBLAS_STATUS_EXECUTION_FAILED;
  return runtime().enqueue(
             *stream, [p] { lt::run(p); }, "cublasLtMatmul") == cudaSuccess
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // extern "C"
