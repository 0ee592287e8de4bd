#pragma once
// A matrix product on a GPU through cuBLASLt. A plan fixes layouts and algorithm when it is made; running it
// only enqueues. Law: the algorithm follows a fixed rule (layout.hpp), so a plan made twice on one model
// of GPU gives the same bits. Arguments are row-major; layout.hpp has the mapping.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "weft/device/cublas_error.cuh"
#include "weft/device/cuda.cuh"
#include "weft/kernels/gemm/layout.hpp"
#include "weft/kernels/gemm/parts.hpp"

namespace WEFT_NAMESPACE::kernels {

// cuBLASLt's own state for the device that is current when it is made. The library waits for the whole device
// when it is given back, which no thread may do while another captures. Costs milliseconds and memory: one a
// device. Must outlive the plans made with it.
class CublasLtHandle {
 public:
  CublasLtHandle() {
    const std::lock_guard lock(capture_mutex());
    cublas_check(cublasLtCreate(&handle_), "cublasLtCreate");
  }
  CublasLtHandle(CublasLtHandle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  CublasLtHandle& operator=(CublasLtHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~CublasLtHandle() {
    if (handle_ == nullptr) return;
    const std::lock_guard lock(capture_mutex());
    cublas_report(cublasLtDestroy(handle_), "cublasLtDestroy");
  }
  cublasLtHandle_t get() const { return handle_; }

 private:
  cublasLtHandle_t handle_ = nullptr;
};

// What to compute: C = finish(A B [+ add]).
struct CublasLtDotSpec {
  DotShape shape;
  DotBatch batch;
  DType ab = DType::f32;    // both factors: f32, bf16, f16 or f64
  DType c = DType::f32;     // the result, the added term, bias and aux
  bool tf32 = false;        // factors of f32 may be rounded to 10 bits of mantissa
  bool accumulate = false;  // with the added term
  DotFinish finish = DotFinish::none;
  u32 alignment = 16;  // bytes, a power of two: every pointer that will be passed is so aligned
  u64 workspace_cap = u64{32} << 20;  // bytes of scratch that an algorithm may want
};

namespace detail {

constexpr cudaDataType_t cuda_type(DType type) {
  switch (type) {
    case DType::f64:
      return CUDA_R_64F;
    case DType::f16:
      return CUDA_R_16F;
    case DType::bf16:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

constexpr cublasLtEpilogue_t cublas_epilogue(DotFinish finish) {
  switch (finish) {
    case DotFinish::none:
      return CUBLASLT_EPILOGUE_DEFAULT;
    case DotFinish::bias:
      return CUBLASLT_EPILOGUE_BIAS;
    case DotFinish::relu_bias:
      return CUBLASLT_EPILOGUE_RELU_BIAS;
    case DotFinish::gelu_bias:
      return CUBLASLT_EPILOGUE_GELU_BIAS;
    case DotFinish::gelu_aux_bias:
      return CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    case DotFinish::dgelu_bgrad:
      return CUBLASLT_EPILOGUE_DGELU_BGRAD;
    case DotFinish::bgrad_a:  // weft's A is the library's B
      return CUBLASLT_EPILOGUE_BGRADB;
    case DotFinish::bgrad_b:
      return CUBLASLT_EPILOGUE_BGRADA;
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

static_assert(static_cast<int>(DotReduction::none) == CUBLASLT_REDUCTION_SCHEME_NONE &&
              static_cast<int>(DotReduction::in_place) == CUBLASLT_REDUCTION_SCHEME_INPLACE &&
              static_cast<int>(DotReduction::compute_type) == CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE &&
              static_cast<int>(DotReduction::output_type) == CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE);

}  // namespace detail

// The library's descriptions of a product. Making them needs no GPU. Throws Error "dot/not-expressible" where
// dot_finish_problem says why, and "cublas/..." for what the library refuses.
class CublasLtDescriptors {
 public:
  explicit CublasLtDescriptors(const CublasLtDotSpec& spec)
      : layout_(dot_layout(spec.shape, spec.batch, spec.accumulate)) {
    if (const char* problem = dot_finish_problem(layout_, spec.ab, spec.c, spec.finish)) {
      throw Error("dot/not-expressible", describe(spec) + ": " + problem);
    }
    const bool wide = spec.ab == DType::f64;
    const cublasComputeType_t compute = wide                                 ? CUBLAS_COMPUTE_64F
                                        : spec.tf32 && spec.ab == DType::f32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                                             : CUBLAS_COMPUTE_32F;
    cublas_check(cublasLtMatmulDescInit(&operation_, compute, wide ? CUDA_R_64F : CUDA_R_32F),
                 "cublasLtMatmulDescInit");
    const i32 trans_a = layout_.trans_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    const i32 trans_b = layout_.trans_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    set(CUBLASLT_MATMUL_DESC_TRANSA, trans_a);
    set(CUBLASLT_MATMUL_DESC_TRANSB, trans_b);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<u32>(detail::cublas_epilogue(spec.finish)));
    // The heuristic reads the alignment off these addresses and does not follow them.
    void* const sample = reinterpret_cast<void*>(static_cast<std::uintptr_t>(alignment(spec)));
    if (spec.finish != DotFinish::none) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, sample);
    if (dot_finish_has_aux(spec.finish)) {
      set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, sample);
      set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, layout_.ldd);
      set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, layout_.stride_d);
    }
    const cudaDataType_t ab = detail::cuda_type(spec.ab);
    make_matrix(a_, ab, layout_.m, layout_.k, layout_.trans_a, layout_.lda, layout_.stride_a);
    make_matrix(b_, ab, layout_.k, layout_.n, layout_.trans_b, layout_.ldb, layout_.stride_b);
    make_matrix(d_, detail::cuda_type(spec.c), layout_.m, layout_.n, false, layout_.ldd, layout_.stride_d);
  }

  const DotLayout& layout() const { return layout_; }
  cublasLtMatmulDesc_t operation() { return &operation_; }
  cublasLtMatrixLayout_t a() { return &a_; }
  cublasLtMatrixLayout_t b() { return &b_; }
  cublasLtMatrixLayout_t d() { return &d_; }

  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& value) {
    cublas_check(cublasLtMatmulDescSetAttribute(&operation_, attribute, &value, sizeof(T)),
                 "cublasLtMatmulDescSetAttribute");
  }

  // What every pointer is aligned to, the steps over outer batch dimensions included.
  u32 alignment(const CublasLtDotSpec& spec) const {
    const i64 ab_bytes = spec.ab == DType::f64 ? 8 : spec.ab == DType::f32 ? 4 : 2;
    const i64 c_bytes = spec.c == DType::f64 ? 8 : spec.c == DType::f32 ? 4 : 2;
    u64 bits = spec.alignment;
    for (int i = 0; i < layout_.outer.rank; ++i) {
      bits |= static_cast<u64>(layout_.outer.a[i] * ab_bytes) |
              static_cast<u64>(layout_.outer.b[i] * ab_bytes) |
              static_cast<u64>(layout_.outer.c[i] * c_bytes);
    }
    return u32{1} << std::min(std::countr_zero(bits), 8);
  }

  // One line about a product, for messages.
  static std::string describe(const CublasLtDotSpec& spec) {
    return "dot (" + std::to_string(spec.shape.m) + ", " + std::to_string(spec.shape.k) + ") x (" +
           std::to_string(spec.shape.k) + ", " + std::to_string(spec.shape.n) + ")";
  }

 private:
  // rows and cols of op(X); what is stored is X.
  void make_matrix(cublasLtMatrixLayoutOpaque_t& matrix, cudaDataType_t type, i64 rows, i64 cols,
                   bool transposed, i64 ld, i64 stride) {
    cublas_check(cublasLtMatrixLayoutInit(&matrix, type, static_cast<u64>(transposed ? cols : rows),
                                          static_cast<u64>(transposed ? rows : cols), ld),
                 "cublasLtMatrixLayoutInit");
    const i32 count = static_cast<i32>(layout_.batch);
    cublas_check(
        cublasLtMatrixLayoutSetAttribute(&matrix, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
        "cublasLtMatrixLayoutSetAttribute");
    cublas_check(cublasLtMatrixLayoutSetAttribute(&matrix, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                  &stride, sizeof stride),
                 "cublasLtMatrixLayoutSetAttribute");
  }

  DotLayout layout_;
  cublasLtMatmulDescOpaque_t operation_{};
  cublasLtMatrixLayoutOpaque_t a_{}, b_{}, d_{};
};

// A product ready to be enqueued. One thread at a time; copies are independent.
class CublasLtDot {
 public:
  // Picks the algorithm. Throws Error "dot/not-expressible", or "cublas/no-algorithm" where the library has
  // none that fits the workspace and the rule.
  CublasLtDot(const CublasLtHandle& handle, const CublasLtDotSpec& spec)
      : handle_(handle.get()), spec_(spec), descriptors_(spec), alignment_(descriptors_.alignment(spec)) {
    cublasLtMatmulPreferenceOpaque_t preference;
    cublas_check(cublasLtMatmulPreferenceInit(&preference), "cublasLtMatmulPreferenceInit");
    auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
      cublas_check(cublasLtMatmulPreferenceSetAttribute(&preference, attribute, &value, sizeof value),
                   "cublasLtMatmulPreferenceSetAttribute");
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, spec.workspace_cap);
    prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, dot_allowed_reductions);
    for (auto attribute :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
      prefer(attribute, alignment_);
    }

    constexpr int most = 16;
    cublasLtMatmulHeuristicResult_t found[most]{};
    int count = 0;
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(handle_, descriptors_.operation(), descriptors_.a(), descriptors_.b(),
                                       descriptors_.d(), descriptors_.d(), &preference, most, found, &count);
    if (status != CUBLAS_STATUS_NOT_SUPPORTED) {
      cublas_check(status, "cublasLtMatmulAlgoGetHeuristic", CublasLtDescriptors::describe(spec).c_str());
    }
    DotCandidate candidate[most];
    for (int i = 0; i < count; ++i) {
      if (found[i].state != CUBLAS_STATUS_SUCCESS) continue;
      candidate[i] = {true, found[i].workspaceSize, reduction_of(found[i].algo)};
    }
    const int chosen = choose_dot_candidate(candidate, count, spec.workspace_cap);
    if (chosen < 0) {
      throw Error("cublas/no-algorithm",
                  CublasLtDescriptors::describe(spec) + ": none of the " + std::to_string(count) +
                      " algorithms that cuBLASLt offers fits in " + std::to_string(spec.workspace_cap) +
                      " bytes and sums in a fixed order");
    }
    algorithm_ = found[chosen].algo;
    workspace_bytes_ = found[chosen].workspaceSize;
  }

  // Scratch that a run needs, in bytes: at most the cap.
  std::size_t workspace_bytes() const { return workspace_bytes_; }
  const DotLayout& layout() const { return descriptors_.layout(); }
  // Opaque words that say which algorithm was chosen; valid for one version of the library.
  const cublasLtMatmulAlgo_t& algorithm() const { return algorithm_; }

  // Enqueues the product; allocates nothing and may be captured. All pointers are to device memory. `add` is
  // read only if the plan accumulates (it may be c); bias and aux are read or written as the finish says;
  // `workspace` holds workspace_bytes(), 256-byte aligned. A pointer that is missing or less aligned than
  // promised throws Error "cublas/pointer".
  void operator()(cudaStream_t stream, const void* a, const void* b, const void* add, void* c,
                  void* bias = nullptr, void* aux = nullptr, void* workspace = nullptr) {
    const bool with_bias = spec_.finish != DotFinish::none;
    const bool with_aux = dot_finish_has_aux(spec_.finish);
    need(a, alignment_, "a");
    need(b, alignment_, "b");
    need(c, alignment_, "c");
    if (spec_.accumulate) need(add, alignment_, "add");
    if (workspace_bytes_ > 0) need(workspace, 256, "workspace");
    if (with_bias) {
      need(bias, alignment_, "bias");
      descriptors_.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    }
    if (with_aux) need(aux, alignment_, "aux");

    const DotBatch& outer = descriptors_.layout().outer;
    i64 index[4]{};
    for (i64 call = 0; call < descriptors_.layout().calls(); ++call) {
      i64 a_at = 0, b_at = 0, c_at = 0;
      for (int d = 0; d < outer.rank; ++d) {
        a_at += index[d] * outer.a[d];
        b_at += index[d] * outer.b[d];
        c_at += index[d] * outer.c[d];
      }
      if (with_aux) descriptors_.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, at(aux, c_at, spec_.c));
      enqueue(stream, at(a, a_at, spec_.ab), at(b, b_at, spec_.ab),
              at(spec_.accumulate ? add : c, c_at, spec_.c), at(c, c_at, spec_.c), workspace);
      for (int d = outer.rank - 1; d >= 0 && ++index[d] == outer.extent[d]; --d) index[d] = 0;
    }
  }

 private:
  static u32 reduction_of(const cublasLtMatmulAlgo_t& algorithm) {
    u32 scheme = 0;
    std::size_t written = 0;
    cublas_check(cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME,
                                                      &scheme, sizeof scheme, &written),
                 "cublasLtMatmulAlgoConfigGetAttribute");
    return scheme;
  }

  static void need(const void* pointer, u32 alignment, const char* name) {
    if (pointer == nullptr || reinterpret_cast<std::uintptr_t>(pointer) % alignment != 0) {
      throw Error("cublas/pointer", std::string("the product needs `") + name + "`, aligned to " +
                                        std::to_string(alignment) + " bytes");
    }
  }

  static void* at(const void* base, i64 elements, DType type) {
    const i64 bytes = type == DType::f64 ? 8 : type == DType::f32 ? 4 : 2;
    return static_cast<std::byte*>(const_cast<void*>(base)) + elements * bytes;
  }

  void enqueue(cudaStream_t stream, const void* a, const void* b, const void* add, void* c, void* workspace) {
    const bool wide = spec_.ab == DType::f64;
    const float alpha32 = 1.0f, beta32 = spec_.accumulate ? 1.0f : 0.0f;
    const double alpha64 = 1.0, beta64 = spec_.accumulate ? 1.0 : 0.0;
    const void* alpha = wide ? static_cast<const void*>(&alpha64) : &alpha32;
    const void* beta = wide ? static_cast<const void*>(&beta64) : &beta32;
    cublas_check(cublasLtMatmul(handle_, descriptors_.operation(), alpha, b, descriptors_.a(), a,
                                descriptors_.b(), beta, add, descriptors_.d(), c, descriptors_.d(),
                                &algorithm_, workspace, workspace_bytes_, stream),
                 "cublasLtMatmul");
  }

  cublasLtHandle_t handle_;
  CublasLtDotSpec spec_;
  CublasLtDescriptors descriptors_;
  u32 alignment_;
  cublasLtMatmulAlgo_t algorithm_{};
  std::size_t workspace_bytes_ = 0;
};

// A product in parts (parts.hpp), each with an algorithm of its own. One thread at a time.
class CublasLtDots {
 public:
  // As CublasLtDot. An operand that the library has no algorithm for is taken as aligned to its elements
  // alone; where there is none even so, it throws Error "cublas/no-algorithm".
  CublasLtDots(const CublasLtHandle& handle, const CublasLtDotSpec& spec) : ab_(spec.ab), c_(spec.c) {
    for (const DotPart& part : dot_parts(spec.shape, spec.ab, spec.c)) {
      CublasLtDotSpec one = spec;
      one.shape = part.shape;
      if (!part.finishes) one.finish = DotFinish::none;
      if (part.adds_to_result) {
        one.accumulate = true;
        for (int d = 0; d < one.batch.rank; ++d) one.batch.add[d] = one.batch.c[d];
      }
      const u64 bits = spec.alignment | static_cast<u64>(part.a * size_of(ab_)) |
                       static_cast<u64>(part.b * size_of(ab_)) | static_cast<u64>(part.c * size_of(c_)) |
                       static_cast<u64>(part.bias * size_of(c_));
      one.alignment = u32{1} << std::countr_zero(bits);
      parts_.push_back({part, make(handle, one)});
      workspace_bytes_ = std::max(workspace_bytes_, parts_.back().dot.workspace_bytes());
    }
  }

  std::size_t workspace_bytes() const { return workspace_bytes_; }

  void operator()(cudaStream_t stream, const void* a, const void* b, const void* add, void* c, void* bias,
                  void* workspace) {
    for (auto& [part, dot] : parts_) {
      const auto at = [](const void* base, i64 elements, DType t) -> void* {
        if (base == nullptr) return nullptr;
        return static_cast<std::byte*>(const_cast<void*>(base)) + elements * size_of(t);
      };
      void* const to = at(c, part.c, c_);
      dot(stream, at(a, part.a, ab_), at(b, part.b, ab_), part.adds_to_result ? to : at(add, part.c, c_), to,
          at(bias, part.bias, c_), nullptr, workspace);
    }
  }

 private:
  struct Part {
    DotPart place;
    CublasLtDot dot;
  };
  static CublasLtDot make(const CublasLtHandle& handle, CublasLtDotSpec spec) {
    const auto natural = static_cast<u32>(std::max(size_of(spec.ab), size_of(spec.c)));
    try {
      return CublasLtDot(handle, spec);
    } catch (const Error& e) {
      if (e.id() != "cublas/no-algorithm" || spec.alignment <= natural) throw;
    }
    spec.alignment = natural;
    return CublasLtDot(handle, spec);
  }

  DType ab_, c_;
  std::vector<Part> parts_;
  std::size_t workspace_bytes_ = 0;
};

}  // namespace WEFT_NAMESPACE::kernels
