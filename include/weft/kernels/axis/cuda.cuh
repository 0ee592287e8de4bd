#pragma once
// scan, argsort, take_along_axis, scatter_reduce, searchsorted and the dynamic slices on a GPU. How a call is
// cut into blocks follows from its sizes.

#include "weft/kernels/axis/dynamic_slice.hpp"
#include "weft/kernels/axis/index.hpp"
#include "weft/kernels/axis/sort.hpp"
#include "weft/kernels/launch/cuda.cuh"
#include "weft/kernels/team/cuda.cuh"

namespace WEFT_NAMESPACE::kernels {

inline constexpr int axis_threads = 256;

// Of a scan: what pieces of lines fold to, and then the pieces. `Alone`: by single threads, whose neighbours
// have the neighbouring lines.
enum class ScanStage : u8 { fold, scan };

template <u64 Tag, u64 T, u64 F, bool Alone, ScanStage Stage>
__global__ void __launch_bounds__(axis_threads) WEFT_KERNEL
    scan_kernel(const __grid_constant__ AxisArgs args, i64 pieces) {
  using Element = ctype<static_cast<DType>(T)>;
  constexpr Fold f = static_cast<Fold>(F);
  const i64 lines = args.outer * args.inner;
  if constexpr (Alone) {
    const i64 at = static_cast<i64>(blockIdx.x) * axis_threads + static_cast<i64>(threadIdx.x);
    if (at >= lines * pieces) return;
    if constexpr (Stage == ScanStage::fold)
      fold_piece_alone<Element, f>(args, at % lines, at / lines);
    else
      scan_on_alone<Element, f>(args, at % lines, at / lines);
  } else {
    __shared__ __align__(16) unsigned char memory[axis_threads / warp_size * 8];
    BlockTeam<axis_threads> team(memory);
    const i64 at = static_cast<i64>(blockIdx.x);
    if constexpr (Stage == ScanStage::fold)
      fold_piece<Element, f>(team, args, at % lines, at / lines);
    else
      scan_on<Element, f>(team, args, at % lines, at / lines);
  }
}

template <u64 Tag, u64 T>
__global__ void __launch_bounds__(axis_threads) WEFT_KERNEL
    sort_kernel(const __grid_constant__ AxisArgs args, i64 tiles) {
  using Element = ctype<static_cast<DType>(T)>;
  __shared__ __align__(16) unsigned char memory[sort_tile_size * sizeof(sort_item<Element>)];
  BlockTeam<axis_threads> team(memory);
  sort_tile<Element>(team, args, static_cast<i64>(blockIdx.x) / tiles, static_cast<i64>(blockIdx.x) % tiles);
}

template <u64 Tag, u64 T>
__global__ void __launch_bounds__(axis_threads) WEFT_KERNEL
    merge_kernel(const __grid_constant__ AxisArgs args, i64 tiles, i64 width, bool odd, bool last) {
  using Element = ctype<static_cast<DType>(T)>;
  __shared__ __align__(16) unsigned char memory[sort_tile_size * sizeof(sort_item<Element>)];
  BlockTeam<axis_threads> team(memory);
  merge_tile<Element>(team, args, static_cast<i64>(blockIdx.x) / tiles, static_cast<i64>(blockIdx.x) % tiles,
                      width, odd, last);
}

template <u64 Tag, u64 T, u64 I>
__global__ void __launch_bounds__(axis_threads) WEFT_KERNEL
    take_kernel(const __grid_constant__ AxisArgs args, i64 each) {
  BlockTeam<axis_threads> team;
  const i64 size = args.outer * args.count * args.inner, begin = static_cast<i64>(blockIdx.x) * each;
  take_elements<ctype<static_cast<DType>(T)>, ctype<static_cast<DType>(I)>>(
      team, args, begin, begin + each < size ? begin + each : size);
}

template <u64 Tag, u64 T, u64 I, u64 F>
__global__ void __launch_bounds__(axis_threads) WEFT_KERNEL
    scatter_kernel(const __grid_constant__ AxisArgs args, i64 row_tiles, i64 rows, i64 column_tiles) {
  __shared__ __align__(16) unsigned char memory[axis_threads * 4 * 8 + axis_threads / warp_size * 4];
  BlockTeam<axis_threads> team(memory);
  const i64 block = static_cast<i64>(blockIdx.x);
  const i64 column = block % column_tiles * axis_threads, row = block / column_tiles % row_tiles * rows;
  scatter_tile<ctype<static_cast<DType>(T)>, ctype<static_cast<DType>(I)>, static_cast<Fold>(F)>(
      team, args, block / column_tiles / row_tiles, row, row + rows < args.extent ? row + rows : args.extent,
      column, column + axis_threads < args.inner ? column + axis_threads : args.inner);
}

template <u64 Tag, u64 T>
__global__ void __launch_bounds__(axis_threads) WEFT_KERNEL
    search_kernel(const __grid_constant__ AxisArgs args, i64 each) {
  BlockTeam<axis_threads> team;
  const i64 size = args.outer * args.count, begin = static_cast<i64>(blockIdx.x) * each;
  search_elements<ctype<static_cast<DType>(T)>>(team, args, begin, begin + each < size ? begin + each : size);
}

template <u64 Tag, u64 I, bool Update>
__global__ void __launch_bounds__(axis_threads) WEFT_KERNEL
    block_copy_kernel(const __grid_constant__ BlockCopyArgs args, i64 each) {
  BlockTeam<axis_threads> team;
  const i64 size = args.total(), begin = static_cast<i64>(blockIdx.x) * each;
  copy_block<ctype<static_cast<DType>(I)>, Update>(team, args, begin,
                                                   begin + each < size ? begin + each : size);
}

template <u64 T, u64 F, bool Alone>
void run_cuda_scan(const AxisArgs& args, cudaStream_t stream) {
  const i64 lines = args.outer * args.inner;
  const auto blocks = [&](i64 pieces) {
    return cuda_blocks(Alone ? (lines * pieces + axis_threads - 1) / axis_threads : lines * pieces);
  };
  const i64 pieces = (args.extent + args.count - 1) / args.count;
  if (pieces > 1)
    scan_kernel<kernel_tag, T, F, Alone, ScanStage::fold>
        <<<blocks(pieces - 1), axis_threads, 0, stream>>>(args, pieces - 1);
  scan_kernel<kernel_tag, T, F, Alone, ScanStage::scan>
      <<<blocks(pieces), axis_threads, 0, stream>>>(args, pieces);
}
template <u64 T, u64 F>
void run_cuda_scan(const CudaLaunch& launch, cudaStream_t stream) {
  const AxisArgs args = axis_args(launch.args, launch.numbers);
  if (args.outer * args.inner == 0 || args.extent == 0) return;
  if (args.inner >= warp_size)  // neighbouring threads read neighbouring elements
    run_cuda_scan<T, F, true>(args, stream);
  else
    run_cuda_scan<T, F, false>(args, stream);
  cuda_check_launch("scan");
}

// Another way to sort lines of more than one tile, in the memory that merging takes; null: there is none.
// False: not these lines.
template <u64 T>
inline bool (*sort_long_lines)(const AxisArgs& args, cudaStream_t stream) = nullptr;

template <u64 T>
void run_cuda_argsort(const CudaLaunch& launch, cudaStream_t stream) {
  const AxisArgs args = axis_args(launch.args, launch.numbers);
  const i64 lines = args.outer * args.inner, tiles = (args.extent + sort_tile_size - 1) / sort_tile_size;
  if (lines == 0 || args.extent == 0) return;
  if (tiles > 1 && sort_long_lines<T> != nullptr && sort_long_lines<T>(args, stream))
    return cuda_check_launch("argsort");
  const unsigned blocks = cuda_blocks(lines * tiles);
  sort_kernel<kernel_tag, T><<<blocks, axis_threads, 0, stream>>>(args, tiles);
  bool odd = false;
  for (i64 width = sort_tile_size; width < args.extent; width *= 2, odd = !odd)
    merge_kernel<kernel_tag, T>
        <<<blocks, axis_threads, 0, stream>>>(args, tiles, width, odd, 2 * width >= args.extent);
  cuda_check_launch("argsort");
}

template <u64 T, u64 I>
void run_cuda_take(const CudaLaunch& launch, cudaStream_t stream) {
  const AxisArgs args = axis_args(launch.args, launch.numbers);
  const i64 size = args.outer * args.count * args.inner, each = 4 * axis_threads;
  if (size == 0) return;
  take_kernel<kernel_tag, T, I>
      <<<cuda_blocks((size + each - 1) / each), axis_threads, 0, stream>>>(args, each);
  cuda_check_launch("take_along_axis");
}

// Where all columns share indices, a block of a tile of rows reads all of them: there are about a thousand.
template <u64 T, u64 I, u64 F>
void run_cuda_scatter(const CudaLaunch& launch, cudaStream_t stream) {
  const AxisArgs args = axis_args(launch.args, launch.numbers);
  if (args.outer == 0 || args.extent == 0 || args.inner == 0) return;
  const i64 columns = (args.inner + axis_threads - 1) / axis_threads;
  const i64 wanted = args.inner > 1 && args.b_stride[2] != 0 ? 1
                     : args.outer * columns < 1024           ? 1024 / (args.outer * columns)
                                                             : 1;
  const i64 rows = (args.extent + wanted - 1) / wanted, row_tiles = (args.extent + rows - 1) / rows;
  scatter_kernel<kernel_tag, T, I, F>
      <<<cuda_blocks(args.outer * row_tiles * columns), axis_threads, 0, stream>>>(args, row_tiles, rows,
                                                                                   columns);
  cuda_check_launch("scatter_reduce");
}

template <u64 T>
void run_cuda_search(const CudaLaunch& launch, cudaStream_t stream) {
  const AxisArgs args = axis_args(launch.args, launch.numbers);
  const i64 size = args.outer * args.count, each = axis_threads;
  if (size == 0) return;
  search_kernel<kernel_tag, T>
      <<<cuda_blocks((size + each - 1) / each), axis_threads, 0, stream>>>(args, each);
  cuda_check_launch("searchsorted");
}

template <u64 I, bool Update>
void run_cuda_block_copy(const CudaLaunch& launch, cudaStream_t stream) {
  const BlockCopyArgs args =
      widened(block_copy_args(launch.args, launch.numbers, launch.number_count, Update));
  const i64 size = args.total(), each = 4 * axis_threads;
  if (size == 0) return;
  block_copy_kernel<kernel_tag, I, Update>
      <<<cuda_blocks((size + each - 1) / each), axis_threads, 0, stream>>>(args, each);
  cuda_check_launch(Update ? "dynamic_update_slice" : "dynamic_slice");
}

}  // namespace WEFT_NAMESPACE::kernels
