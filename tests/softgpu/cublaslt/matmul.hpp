#pragma once
// A matrix product as cuBLASLt describes one, column-major: D = epilogue(alpha op(A) op(B) + beta C).

#include <cublasLt.h>

#include <string>

#include "softgpu/types.hpp"

namespace softgpu::lt {

struct Descriptor {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType_t scale = CUDA_R_32F;
  i32 transpose_a = CUBLAS_OP_N, transpose_b = CUBLAS_OP_N;
  u32 epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  i32 bias_type = -1;
  u64 bias = 0, aux = 0;
  i64 aux_ld = 0, aux_stride = 0;
};

struct Matrix {
  cudaDataType_t type = CUDA_R_32F;
  i32 batch = 1;
  u64 rows = 0, cols = 0;
  i64 ld = 0, stride = 0;
};

struct Product {
  Descriptor what;
  Matrix a, b, c, d;
  double alpha = 1, beta = 0;
  u64 a_at = 0, b_at = 0, c_at = 0, d_at = 0;  // device addresses
  u64 workspace = 0, workspace_bytes = 0;

  i64 m() const { return static_cast<i64>(d.rows); }
  i64 n() const { return static_cast<i64>(d.cols); }
  i64 k() const { return static_cast<i64>(what.transpose_a == CUBLAS_OP_N ? a.cols : a.rows); }
};

int type_bytes(cudaDataType_t type);  // 0 for one that is not known

// Why the manual refuses the product, or null. Addresses are looked at only if they are not null.
const char* refusal(const Descriptor& what, const Matrix& a, const Matrix& b, const Matrix& c,
                    const Matrix& d);

// Does it, in device memory. Throws KernelFault where memory may not be used.
void run(const Product& product);

}  // namespace softgpu::lt
