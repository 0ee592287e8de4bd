#pragma once
// take_rows and scatter_add on a GPU. How a call is cut into blocks follows from its sizes.

#include <cstdint>

#include "weft/kernels/axis/rows.hpp"
#include "weft/kernels/launch/cuda.cuh"
#include "weft/kernels/team/cuda.cuh"

namespace WEFT_NAMESPACE::kernels {

inline constexpr int index_threads = 128;

// T, I: DType of the elements and of the indices.
template <u64 Tag, u64 T, u64 I, u64 Bytes>
__global__ void __launch_bounds__(index_threads) WEFT_KERNEL
    gather_kernel(const __grid_constant__ IndexArgs args, i64 rows_per_block) {
  BlockTeam<index_threads> team;
  const i64 begin = static_cast<i64>(blockIdx.x) * rows_per_block;
  const i64 end = begin + rows_per_block < args.count ? begin + rows_per_block : args.count;
  gather_rows<ctype<static_cast<DType>(T)>, ctype<static_cast<DType>(I)>, static_cast<int>(Bytes)>(
      team, args, begin, end);
}

template <u64 Tag, u64 T, u64 I>
__global__ void __launch_bounds__(index_threads) WEFT_KERNEL
    scatter_add_kernel(const __grid_constant__ IndexArgs args, i64 rows_per_block, u32 row_blocks) {
  __shared__ __align__(16) unsigned char memory[index_threads * 8 + 64];
  BlockTeam<index_threads> team(memory);
  // in 32 bits: a division of 64 is a call, which costs registers
  const i64 row = static_cast<i64>(blockIdx.x % row_blocks) * rows_per_block,
            column = static_cast<i64>(blockIdx.x / row_blocks) * index_threads;
  const i64 row_end = row + rows_per_block < args.rows ? row + rows_per_block : args.rows;
  const i64 column_end = column + index_threads < args.width ? column + index_threads : args.width;
  scatter_add_tile<ctype<static_cast<DType>(T)>, ctype<static_cast<DType>(I)>>(team, args, row, row_end,
                                                                               column, column_end);
}

template <u64 T, u64 I>
void run_cuda_gather(const CudaLaunch& launch, cudaStream_t stream) {
  const IndexArgs args = index_args(launch.args, launch.numbers);
  if (args.count == 0 || args.width == 0) return;
  constexpr int size = sizeof(ctype<static_cast<DType>(T)>);
  const auto aligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  const bool wide = args.width * size % 16 == 0 && aligned(args.data) && aligned(args.out);
  const i64 units = wide ? args.width * size / 16 : args.width;
  const i64 rows_per_block = units < 512 ? 512 / units : 1;
  const unsigned blocks = cuda_blocks((args.count + rows_per_block - 1) / rows_per_block);
  if (wide)
    gather_kernel<kernel_tag, T, I, 16><<<blocks, index_threads, 0, stream>>>(args, rows_per_block);
  else
    gather_kernel<kernel_tag, T, I, size><<<blocks, index_threads, 0, stream>>>(args, rows_per_block);
  cuda_check_launch("take_rows");
}

// Every block reads all indices, so there are about a thousand of them, whatever the size of the table.
template <u64 T, u64 I>
void run_cuda_scatter_add(const CudaLaunch& launch, cudaStream_t stream) {
  const IndexArgs args = index_args(launch.args, launch.numbers);
  if (args.rows == 0 || args.width == 0) return;
  const i64 tiles = (args.width + index_threads - 1) / index_threads;
  const i64 wanted = tiles < 1024 ? 1024 / tiles : 1;
  const i64 rows_per_block = (args.rows + wanted - 1) / wanted;
  const unsigned row_blocks = cuda_blocks((args.rows + rows_per_block - 1) / rows_per_block);
  scatter_add_kernel<kernel_tag, T, I>
      <<<cuda_blocks(row_blocks * tiles), index_threads, 0, stream>>>(args, rows_per_block, row_blocks);
  cuda_check_launch("scatter_add");
}

}  // namespace WEFT_NAMESPACE::kernels
