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
    scatter_add_kernel(const __grid_constant__ IndexArgs args, int row_bits) {
  __shared__ __align__(16) unsigned char memory[scatter_shared_bytes(index_threads)];
  BlockTeam<index_threads> team(memory);
  const i64 first = blockIdx.x & ((1u << row_bits) - 1),
            column = static_cast<i64>(blockIdx.x >> row_bits) * index_threads;
  scatter_add_columns<ctype<static_cast<DType>(T)>, ctype<static_cast<DType>(I)>>(team, args, first, row_bits,
                                                                                  column);
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
  int row_bits = 0;
  while ((i64{2} << row_bits) * tiles <= 1024 && i64{1} << row_bits < args.rows) ++row_bits;
  while (args.rows >> row_bits >= most_scatter_rows) ++row_bits;
  scatter_add_kernel<kernel_tag, T, I>
      <<<cuda_blocks(tiles << row_bits), index_threads, 0, stream>>>(args, row_bits);
  cuda_check_launch("scatter_add");
}

}  // namespace WEFT_NAMESPACE::kernels
