#pragma once
// A matrix product of 16-bit factors on tensor cores, for what the library cannot express or has no algorithm
// for: strides without a unit, rows that begin at no multiple of 16 bytes. Blocks have tiles of 128 x 128
// sums; factors go by in two stages of shared memory. A sum runs along k in order, as the instruction's 16
// terms do, so the result does not depend on anything else.

#include "weft/kernels/gemm/call.hpp"
#include "weft/kernels/launch/cuda.cuh"
#include "weft/kernels/mma/shared_tile.cuh"

namespace WEFT_NAMESPACE::kernels {

inline constexpr int dot_mma_edge = 128, dot_mma_depth = 32, dot_mma_threads = 256;

// Whether a product of these dtypes is one for these tensor cores; where it is not the tiled kernel has it.
constexpr bool dot_has_mma(DType a, DType b) {
  return a == b && (a == DType::bf16 || a == DType::f16) && targets_have_mma();
}

// How the kernel reads a factor: rows of the result's, or along the sum, whichever lie next to each other.
struct DotMmaFactor {
  i64 across = 0, along = 0;  // strides between the result's rows (or columns), and along the sum
  bool turned = false;        // a row of its tile is a place of the sum, else a row or column of the result
  bool in_chunks = false;     // rows of all its tiles are whole and begin at multiples of 16 bytes
};
struct DotMmaArgs {
  DotCall call;
  DotMmaFactor a, b;
  const void *a_at = nullptr, *b_at = nullptr, *add = nullptr, *bias = nullptr;
  void* c = nullptr;
};

template <class T>
struct DotMma {
  using Atom = MmaAtom<T>;
  using Straight = SharedTile<T, dot_mma_edge, dot_mma_depth>;
  using Turned = SharedTile<T, dot_mma_depth, dot_mma_edge>;
  static constexpr int factor_size = Straight::size > Turned::size ? Straight::size : Turned::size;
  static_assert(4 * factor_size * static_cast<int>(sizeof(T)) <= 48 * 1024);
  // A warp's part of the block's tile: 32 rows x 64 columns.
  static constexpr int row_atoms = 2, column_atoms = 8;

  // Begins to copy what a factor has at `from`: `across` rows (or columns) of the result, `along` terms.
  __device__ __forceinline__ static void load(T* tile, const DotMmaFactor& f, const T* from, i64 across,
                                              i64 along) {
    const int wide = static_cast<int>(across < dot_mma_edge ? across : dot_mma_edge),
              deep = static_cast<int>(along < dot_mma_depth ? along : dot_mma_depth);
    if (f.turned)
      Turned::template load<dot_mma_threads>(tile, {from, f.along, f.across, f.in_chunks}, deep, wide);
    else
      Straight::template load<dot_mma_threads>(tile, {from, f.across, f.along, f.in_chunks}, wide, deep);
  }
  __device__ __forceinline__ static typename Atom::A load_a(const T* tile, bool turned, int row, int k) {
    return turned ? Atom::load_a_transposed(tile + k * Turned::pitch + row, Turned::pitch)
                  : Atom::load_a(tile + row * Straight::pitch + k, Straight::pitch);
  }
  __device__ __forceinline__ static void load_b(typename Atom::B (&b)[2], const T* tile, bool turned,
                                                int column, int k) {
    if (turned)
      Atom::load_b(b, tile + k * Turned::pitch + column, Turned::pitch);
    else
      Atom::load_b_transposed(b, tile + column * Straight::pitch + k, Straight::pitch);
  }
};

// T: of both factors; TC: the DType of the result.
template <u64 Tag, u64 Type, u64 TC>
__global__ void __launch_bounds__(dot_mma_threads, 2) WEFT_KERNEL
    dot_mma_kernel(const __grid_constant__ DotMmaArgs args) {
  using T = ctype<static_cast<DType>(Type)>;
  using C = ctype<static_cast<DType>(TC)>;
  using Kernel = DotMma<T>;
  using Atom = typename Kernel::Atom;
  __shared__ __align__(128) T memory[2][2][Kernel::factor_size];  // by stage and factor
  const DotShape& s = args.call.shape;
  // there are fewer blocks than 2^31
  const u32 row_tiles = static_cast<u32>((s.m + dot_mma_edge - 1) / dot_mma_edge),
            column_tiles = static_cast<u32>((s.n + dot_mma_edge - 1) / dot_mma_edge);
  const i64 row = i64{blockIdx.x % row_tiles} * dot_mma_edge,
            column = i64{blockIdx.x / row_tiles % column_tiles} * dot_mma_edge;
  const T* a = static_cast<const T*>(args.a_at) + row * args.a.across;
  const T* b = static_cast<const T*>(args.b_at) + column * args.b.across;
  i64 c_at = 0;
  u32 which = blockIdx.x / row_tiles / column_tiles;
#pragma unroll
  for (int d = 3; d >= 0; --d) {
    if (d >= args.call.batch.rank) continue;
    const u32 extent = static_cast<u32>(args.call.batch.extent[d]);
    const i64 index = which % extent;
    which /= extent;
    a += index * args.call.batch.a[d];
    b += index * args.call.batch.b[d];
    c_at += index * args.call.batch.c[d];
  }
  const auto copy = [&](int stage, i64 k) __attribute__((always_inline)) {
    Kernel::load(memory[stage][0], args.a, a + k * args.a.along, s.m - row, s.k - k);
    Kernel::load(memory[stage][1], args.b, b + k * args.b.along, s.n - column, s.k - k);
    end_group_of_copies();
  };

  float sums[Kernel::row_atoms][Kernel::column_atoms][4];
#pragma unroll
  for (int i = 0; i < Kernel::row_atoms; ++i)
#pragma unroll
    for (int j = 0; j < Kernel::column_atoms; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) sums[i][j][e] = 0;
  const int warp = static_cast<int>(threadIdx.x) / 32, warp_row = warp / 2 * 16 * Kernel::row_atoms,
            warp_column = warp % 2 * 8 * Kernel::column_atoms;
  if (s.k > 0) copy(0, 0);
  int stage = 0;
  for (i64 k = 0; k < s.k; k += dot_mma_depth, stage ^= 1) {
    if (k + dot_mma_depth < s.k) {
      copy(stage ^ 1, k + dot_mma_depth);
      wait_for_copies<1>();
    } else {
      wait_for_copies<0>();
    }
    __syncthreads();
    const T *left = memory[stage][0], *right = memory[stage][1];
#pragma unroll
    for (int c = 0; c < dot_mma_depth; c += Atom::depth) {
      typename Atom::A of_a[Kernel::row_atoms];
#pragma unroll
      for (int i = 0; i < Kernel::row_atoms; ++i)
        of_a[i] = Kernel::load_a(left, args.a.turned, warp_row + 16 * i, c);
#pragma unroll
      for (int j = 0; j < Kernel::column_atoms; j += 2) {
        typename Atom::B of_b[2];
        Kernel::load_b(of_b, right, args.b.turned, warp_column + 8 * j, c);
#pragma unroll
        for (int i = 0; i < Kernel::row_atoms; ++i) {
          Atom::multiply_add(sums[i][j], of_a[i], of_b[0]);
          Atom::multiply_add(sums[i][j + 1], of_a[i], of_b[1]);
        }
      }
    }
    __syncthreads();  // the stage is copied to next
  }

  const MmaPlace at;
#pragma unroll
  for (int i = 0; i < Kernel::row_atoms; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const i64 r = row + warp_row + 16 * i + 8 * half + at.row;
      if (r >= s.m) continue;
      const i64 line = c_at + r * s.c_row;
#pragma unroll
      for (int j = 0; j < Kernel::column_atoms; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const i64 x = column + warp_column + 8 * j + at.column + e;
          if (x >= s.n) continue;
          float sum = sums[i][j][2 * half + e];
          if (args.add != nullptr) sum += load<float>(static_cast<const C*>(args.add) + line + x);
          if (args.bias != nullptr) sum += load<float>(static_cast<const C*>(args.bias) + x);
          store(static_cast<C*>(args.c) + line + x, sum);
        }
    }
}

// Adds: which of the two terms (call.hpp) are added.
template <u64 Type, u64 TC, u64 Adds>
void run_cuda_dot_mma(const CudaLaunch& launch, cudaStream_t stream) {
  DotMmaArgs args;
  args.call = dot_call(launch.numbers);
  const DotShape& s = args.call.shape;
  const DotBatch& batch = args.call.batch;
  i64 count = 1;
  for (int d = 0; d < batch.rank; ++d) count *= batch.extent[d];
  if (s.m == 0 || s.n == 0 || count == 0) return;
  args.a_at = launch.args.pointer[0], args.b_at = launch.args.pointer[1], args.c = launch.args.pointer[2];
  if constexpr ((Adds & dot_adds) != 0) args.add = launch.args.pointer[3];
  if constexpr ((Adds & dot_has_bias) != 0) args.bias = launch.args.pointer[4];
  const auto factor = [&](i64 across, i64 along, const void* from, const i64* steps) {
    DotMmaFactor f{across, along, across == 1 && along != 1, false};
    f.in_chunks = GlobalRows<u16>::chunks(from, f.turned ? along : across, f.turned ? across : along);
    for (int d = 0; d < batch.rank; ++d) f.in_chunks = f.in_chunks && steps[d] % 8 == 0;
    return f;
  };
  args.a = factor(s.a_row, s.a_col, args.a_at, batch.a);
  args.b = factor(s.b_col, s.b_row, args.b_at, batch.b);
  const i64 rows = (s.m + dot_mma_edge - 1) / dot_mma_edge, columns = (s.n + dot_mma_edge - 1) / dot_mma_edge;
  dot_mma_kernel<kernel_tag, Type, TC>
      <<<cuda_blocks(rows * columns * count), dot_mma_threads, 0, stream>>>(args);
  cuda_check_launch("a matrix product");
}

}  // namespace WEFT_NAMESPACE::kernels
