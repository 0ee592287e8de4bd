#pragma once
// A matrix product for what neither the library nor tensor cores (mma.cuh) have: integers, mixed types,
// strides of f32 without a unit. Tiles of 16 x 16 through shared memory; sums run along k in order, so the
// result does not depend on anything else.

#include "weft/kernels/evaluator/arithmetic.hpp"
#include "weft/kernels/gemm/call.hpp"
#include "weft/kernels/launch/cuda.cuh"

namespace WEFT_NAMESPACE::kernels {

inline constexpr int tiled_edge = 16;

// TA, TB, TC: the DTypes of the operands and of the result; Adds: which of the two terms (call.hpp) are
// added.
template <u64 Tag, u64 TA, u64 TB, u64 TC, u64 Adds>
__global__ void __launch_bounds__(tiled_edge* tiled_edge) WEFT_KERNEL
    dot_tiled_kernel(const __grid_constant__ DotCall call, const void* a_, const void* b_, void* c_,
                     const void* add_, const void* bias_) {
  using A = ctype<static_cast<DType>(TA)>;
  using B = ctype<static_cast<DType>(TB)>;
  using C = ctype<static_cast<DType>(TC)>;
  using Sum = DotSum2<A, B>;
  __shared__ Sum left[tiled_edge][tiled_edge + 1], right[tiled_edge][tiled_edge + 1];
  const A* a = static_cast<const A*>(a_);
  const B* b = static_cast<const B*>(b_);
  C* c = static_cast<C*>(c_);
  const DotShape& s = call.shape;
  // there are fewer of them than 2^31, and a division of 32 bits takes fewer registers
  const u32 row_tiles = static_cast<u32>((s.m + tiled_edge - 1) / tiled_edge),
            column_tiles = static_cast<u32>((s.n + tiled_edge - 1) / tiled_edge);
  const i64 row_tile = blockIdx.x % row_tiles, column_tile = blockIdx.x / row_tiles % column_tiles;
  i64 c_at = 0;
  i64 which = blockIdx.x / row_tiles / column_tiles;
#pragma unroll
  for (int d = 3; d >= 0; --d) {
    if (d >= call.batch.rank) continue;
    const i64 index = which % call.batch.extent[d];
    which /= call.batch.extent[d];
    a += index * call.batch.a[d];
    b += index * call.batch.b[d];
    c_at += index * call.batch.c[d];
  }
  const int x = static_cast<int>(threadIdx.x) % tiled_edge, y = static_cast<int>(threadIdx.x) / tiled_edge;
  const i64 row = row_tile * tiled_edge + y, column = column_tile * tiled_edge + x;
  Sum sum = 0;
  for (i64 k = 0; k < s.k; k += tiled_edge) {
    left[y][x] = row < s.m && k + x < s.k ? load<Sum>(a + row * s.a_row + (k + x) * s.a_col) : Sum(0);
    right[y][x] = k + y < s.k && column < s.n ? load<Sum>(b + (k + y) * s.b_row + column * s.b_col) : Sum(0);
    __syncthreads();
#pragma unroll
    for (int l = 0; l < tiled_edge; ++l) sum = sum + left[y][l] * right[l][x];
    __syncthreads();
  }
  if (row >= s.m || column >= s.n) return;
  c_at += row * s.c_row + column;
  if constexpr ((Adds & dot_adds) != 0) sum = sum + load<Sum>(static_cast<const C*>(add_) + c_at);
  if constexpr ((Adds & dot_has_bias) != 0) sum = sum + load<Sum>(static_cast<const C*>(bias_) + column);
  store(c + c_at, sum);
}

template <u64 TA, u64 TB, u64 TC, u64 Adds>
void run_cuda_dot_tiled(const CudaLaunch& launch, cudaStream_t stream) {
  const DotCall call = dot_call(launch.numbers);
  i64 batch = 1;
  for (int d = 0; d < call.batch.rank; ++d) batch *= call.batch.extent[d];
  if (call.shape.m == 0 || call.shape.n == 0 || batch == 0) return;
  // tiles of rows first, then of columns, then products: the other axes of a grid have too few blocks
  const i64 rows = (call.shape.m + tiled_edge - 1) / tiled_edge,
            columns = (call.shape.n + tiled_edge - 1) / tiled_edge;
  dot_tiled_kernel<kernel_tag, TA, TB, TC, Adds>
      <<<cuda_blocks(rows * columns * batch), tiled_edge * tiled_edge, 0, stream>>>(
          call, launch.args.pointer[0], launch.args.pointer[1], launch.args.pointer[2],
          launch.args.pointer[3], launch.args.pointer[4]);
  cuda_check_launch("a matrix product");
}

}  // namespace WEFT_NAMESPACE::kernels
