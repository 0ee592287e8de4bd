#include "softgpu/cublaslt/matmul.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "softgpu/block.hpp"
#include "softgpu/cublaslt/numbers.hpp"
#include "softgpu/memory.hpp"
#include "softgpu/order.hpp"
#include "softgpu/report.hpp"

namespace softgpu::lt {

namespace {

bool has(u32 epilogue, u32 bits) { return (epilogue & bits) == bits; }
bool is_gradient(u32 e) {
  return e == CUBLASLT_EPILOGUE_DGELU_BGRAD || e == CUBLASLT_EPILOGUE_BGRADA || e == CUBLASLT_EPILOGUE_BGRADB;
}
bool has_aux(u32 e) {
  return e == CUBLASLT_EPILOGUE_GELU_AUX || e == CUBLASLT_EPILOGUE_GELU_AUX_BIAS ||
         e == CUBLASLT_EPILOGUE_DGELU || e == CUBLASLT_EPILOGUE_DGELU_BGRAD;
}
bool adds_bias(u32 e) { return has(e, CUBLASLT_EPILOGUE_BIAS) && e < CUBLASLT_EPILOGUE_BGRADA; }

// The tanh form, as the library has it.
double gelu(double x) { return 0.5 * x * (1 + std::tanh(0.79788456080286536 * (x + 0.044715 * x * x * x))); }
double gelu_slope(double x) {
  const double t = std::tanh(0.79788456080286536 * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.79788456080286536 * (1 + 3 * 0.044715 * x * x);
}

// Device memory of a matrix or vector, checked.
class View {
 public:
  View(const char* name, u64 address, cudaDataType_t type, bool reads, i64 rows, i64 cols, i64 ld)
      : type_(type), bytes_(static_cast<u64>(type_bytes(type))), ld_(ld) {
    const u64 size = bytes_ * static_cast<u64>((cols - 1) * ld + rows);
    Region* const region = memory().find(address);
    const auto wrong = [&](const char* kind) {
      report(kind, std::string("cublasLtMatmul ") + name,
             std::string("cublasLtMatmul: ") + name + ", " + std::to_string(size) + " bytes at " +
                 memory().describe(address));
      throw KernelFault{700};
    };
    if (address % bytes_ != 0) wrong("misaligned");
    if (region == nullptr) wrong("out of bounds");
    if (region->freed) wrong("freed memory");
    if (!region->holds(address, size)) wrong("out of bounds");
    region_ = region;
    address_ = address;
    for (i64 c = 0; !reads && c < cols; ++c)
      order_write(region, address + bytes_ * static_cast<u64>(c * ld), bytes_ * static_cast<u64>(rows),
                  "a product");
    for (i64 c = 0; reads && c < cols; ++c) {
      const u64 at = address + bytes_ * static_cast<u64>(c * ld), column = bytes_ * static_cast<u64>(rows);
      order_read(region, at, column, "a product");
      const u64 known = Memory::written(*region, at, column);
      if (known == column) continue;
      report("uninitialised read", std::string("cublasLtMatmul ") + name,
             std::string("cublasLtMatmul reads ") + name +
                 " where nobody has written: " + memory().describe(at + known));
      break;
    }
  }
  double operator()(i64 row, i64 col) const { return read(place(row, col), type_); }
  void set(i64 row, i64 col, double x) const {
    write(place(row, col), type_, x);
    std::fill_n(region_->tags_at(address_) + at(row, col), bytes_, order().tag());
  }

 private:
  u64 at(i64 row, i64 col) const { return bytes_ * static_cast<u64>(col * ld_ + row); }
  std::byte* place(i64 row, i64 col) const { return region_->at(address_) + at(row, col); }

  cudaDataType_t type_;
  u64 bytes_;
  i64 ld_;
  Region* region_ = nullptr;
  u64 address_ = 0;
};

// op(A) by columns and op(B) by columns, in the type of the sums; sums in one sequence over k.
template <class T>
void multiply(const Product& p, const View& a, const View& b, std::vector<T>& sums) {
  const i64 m = p.m(), n = p.n(), k = p.k();
  const bool tf32 = p.what.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  const auto rounded = [&](double x) {
    if constexpr (sizeof(T) == 4) return tf32 ? to_tf32(static_cast<float>(x)) : static_cast<float>(x);
    return static_cast<T>(x);
  };
  std::vector<T> left(static_cast<std::size_t>(m * k));
  for (i64 l = 0; l < k; ++l)
    for (i64 i = 0; i < m; ++i)
      left[static_cast<std::size_t>(l * m + i)] =
          rounded(p.what.transpose_a == CUBLAS_OP_N ? a(i, l) : a(l, i));
  sums.assign(static_cast<std::size_t>(m * n), T{0});
  std::vector<T> right(static_cast<std::size_t>(k));
  for (i64 j = 0; j < n; ++j) {
    for (i64 l = 0; l < k; ++l)
      right[static_cast<std::size_t>(l)] = rounded(p.what.transpose_b == CUBLAS_OP_N ? b(l, j) : b(j, l));
    T* const column = sums.data() + j * m;
    for (i64 l = 0; l < k; ++l) {
      const T factor = right[static_cast<std::size_t>(l)];
      const T* const from = left.data() + l * m;
      for (i64 i = 0; i < m; ++i) column[i] += from[i] * factor;
    }
  }
}

template <class T>
void run_one(const Product& p, i64 batch) {
  const auto at = [&](u64 base, const Matrix& x) {
    return base + static_cast<u64>(type_bytes(x.type)) * static_cast<u64>(batch * x.stride);
  };
  const u32 e = p.what.epilogue;
  const i64 m = p.m(), n = p.n(), k = p.k();
  const View a("A", at(p.a_at, p.a), p.a.type, true, static_cast<i64>(p.a.rows), static_cast<i64>(p.a.cols),
               p.a.ld);
  const View b("B", at(p.b_at, p.b), p.b.type, true, static_cast<i64>(p.b.rows), static_cast<i64>(p.b.cols),
               p.b.ld);
  const View d("D", at(p.d_at, p.d), p.d.type, false, m, n, p.d.ld);
  const bool adds = p.beta != 0;
  const View c("C", adds ? at(p.c_at, p.c) : at(p.d_at, p.d), adds ? p.c.type : p.d.type, adds, m, n,
               adds ? p.c.ld : p.d.ld);
  const bool biased = adds_bias(e) || is_gradient(e);
  const auto bias_type = p.what.bias_type >= 0 ? static_cast<cudaDataType_t>(p.what.bias_type) : p.d.type;
  const i64 bias_rows = e == CUBLASLT_EPILOGUE_BGRADB ? n : m;
  const View bias("the bias", biased ? p.what.bias : at(p.d_at, p.d), biased ? bias_type : p.d.type,
                  adds_bias(e), biased ? bias_rows : 1, 1, biased ? bias_rows : 1);
  const bool with_aux = has_aux(e);
  const u64 aux_at =
      p.what.aux + static_cast<u64>(type_bytes(p.d.type)) * static_cast<u64>(batch * p.what.aux_stride);
  const View aux("the auxiliary matrix", with_aux ? aux_at : at(p.d_at, p.d), p.d.type,
                 e == CUBLASLT_EPILOGUE_DGELU || e == CUBLASLT_EPILOGUE_DGELU_BGRAD, with_aux ? m : 1,
                 with_aux ? n : 1, with_aux ? p.what.aux_ld : 1);

  std::vector<T> sums;
  multiply<T>(p, a, b, sums);
  std::vector<double> gradient(static_cast<std::size_t>(bias_rows), 0.0);
  for (i64 j = 0; j < n; ++j) {
    for (i64 i = 0; i < m; ++i) {
      double x = p.alpha * static_cast<double>(sums[static_cast<std::size_t>(j * m + i)]);
      if (adds) x += p.beta * c(i, j);
      if (adds_bias(e)) x += bias(i, 0);
      if (e == CUBLASLT_EPILOGUE_GELU_AUX || e == CUBLASLT_EPILOGUE_GELU_AUX_BIAS) aux.set(i, j, x);
      if (e == CUBLASLT_EPILOGUE_RELU || e == CUBLASLT_EPILOGUE_RELU_BIAS) x = x > 0 || x != x ? x : 0;
      if (e == CUBLASLT_EPILOGUE_GELU || e == CUBLASLT_EPILOGUE_GELU_BIAS ||
          e == CUBLASLT_EPILOGUE_GELU_AUX || e == CUBLASLT_EPILOGUE_GELU_AUX_BIAS)
        x = gelu(x);
      if (e == CUBLASLT_EPILOGUE_DGELU || e == CUBLASLT_EPILOGUE_DGELU_BGRAD) {
        x *= gelu_slope(aux(i, j));
        gradient[static_cast<std::size_t>(i)] += e == CUBLASLT_EPILOGUE_DGELU_BGRAD ? x : 0;
      }
      d.set(i, j, x);
    }
  }
  if (e == CUBLASLT_EPILOGUE_BGRADA)
    for (i64 l = 0; l < k; ++l)
      for (i64 i = 0; i < m; ++i)
        gradient[static_cast<std::size_t>(i)] += p.what.transpose_a == CUBLAS_OP_N ? a(i, l) : a(l, i);
  if (e == CUBLASLT_EPILOGUE_BGRADB)
    for (i64 l = 0; l < k; ++l)
      for (i64 j = 0; j < n; ++j)
        gradient[static_cast<std::size_t>(j)] += p.what.transpose_b == CUBLAS_OP_N ? b(l, j) : b(j, l);
  if (is_gradient(e))
    for (i64 i = 0; i < bias_rows; ++i) bias.set(i, 0, gradient[static_cast<std::size_t>(i)]);
}

}  // namespace

int type_bytes(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_64F:
      return 8;
    case CUDA_R_32F:
      return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_8F_E4M3:
      return 1;
    default:
      return 0;
  }
}

const char* refusal(const Descriptor& what, const Matrix& a, const Matrix& b, const Matrix& c,
                    const Matrix& d) {
  const u32 e = what.epilogue;
  for (const Matrix* x : {&a, &b, &c, &d}) {
    if (type_bytes(x->type) == 0) return "a type of element";
    if (x->rows == 0 || x->cols == 0) return "an empty matrix";
    if (x->ld < static_cast<i64>(x->rows)) return "a leading dimension below the rows";
  }
  const u64 m = what.transpose_a == CUBLAS_OP_N ? a.rows : a.cols,
            k = what.transpose_a == CUBLAS_OP_N ? a.cols : a.rows;
  const u64 n = what.transpose_b == CUBLAS_OP_N ? b.cols : b.rows,
            kb = what.transpose_b == CUBLAS_OP_N ? b.rows : b.cols;
  if (k != kb || m != d.rows || n != d.cols || m != c.rows || n != c.cols) return "shapes that do not fit";
  // CUBLASLT_MATMUL_DESC_... gives no limit; kernels put the batch along an axis of the grid, of 65,535
  // blocks
  if (d.batch > 65535) return "more products than an axis of a grid has blocks";
  if (a.batch != b.batch || a.batch != d.batch || a.batch != c.batch) return "different batch counts";
  // the table of compute, scale and matrix types of cublasLtMatmul()
  const bool wide = what.compute == CUBLAS_COMPUTE_64F;
  if (wide != (a.type == CUDA_R_64F) ||
      (wide && (b.type != a.type || d.type != a.type || what.scale != CUDA_R_64F)))
    return "types that cannot be combined";
  if (a.type != b.type) return "different types of factors";
  if (!wide && d.type == CUDA_R_64F) return "types that cannot be combined";
  if (!wide && a.type == CUDA_R_32F && d.type != CUDA_R_32F) return "types that cannot be combined";
  if (!wide && d.type != CUDA_R_32F && d.type != a.type && a.type != CUDA_R_8F_E4M3)
    return "types that cannot be combined";
  // FP8 factors: the first transposed, the second not; sizes divisible by 16
  if (a.type == CUDA_R_8F_E4M3 && (what.transpose_a != CUBLAS_OP_T || what.transpose_b != CUBLAS_OP_N ||
                                   m % 16 != 0 || k % 16 != 0 || a.ld % 16 != 0 || b.ld % 16 != 0))
    return "FP8 factors that are not laid out as (T, N) in multiples of 16";
  if (wide && e != CUBLASLT_EPILOGUE_DEFAULT) return "an epilogue of f64";
  // CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD: divisible by 8 for GELU
  if (has_aux(e) && (what.aux_ld % 8 != 0 || what.aux_stride % 8 != 0 || what.aux_ld < static_cast<i64>(m)))
    return "an auxiliary matrix whose columns are not a multiple of 8 apart";
  if (is_gradient(e) && d.batch != 1) return "a bias gradient over a batch";
  return nullptr;
}

void run(const Product& p) {
  if (p.workspace_bytes > 0) {  // whatever is left there is of no use to anybody
    Region* const region = memory().find(p.workspace);
    if (region == nullptr || region->freed || !region->holds(p.workspace, p.workspace_bytes)) {
      report("out of bounds", "cublasLtMatmul workspace",
             "cublasLtMatmul: the workspace, " + std::to_string(p.workspace_bytes) + " bytes at " +
                 memory().describe(p.workspace));
      throw KernelFault{700};
    }
    order_write(region, p.workspace, p.workspace_bytes, "a product");
    std::memset(region->at(p.workspace), 0xee, p.workspace_bytes);
    Memory::mark(*region, p.workspace, p.workspace_bytes, order().tag());
  }
  if (settings().sample != 0) return;
  for (i64 batch = 0; batch < p.d.batch; ++batch) {
    if (p.what.compute == CUBLAS_COMPUTE_64F)
      run_one<double>(p, batch);
    else
      run_one<float>(p, batch);
  }
}

}  // namespace softgpu::lt
