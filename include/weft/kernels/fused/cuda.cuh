#pragma once
// A fused kernel as a CUDA kernel: one block a chunk of rows, or a part of one. Law: it runs the body of
// body.hpp and nothing else; what a block does follows from grid.hpp.

#include <type_traits>
#include <utility>

#include "weft/kernels/fused/grid.hpp"
#include "weft/kernels/launch/cuda.cuh"
#include "weft/kernels/team/cuda.cuh"

namespace WEFT_NAMESPACE::kernels {

// A launch's arguments, as many as the code has.
template <class C>
struct FusedParameters {
  using View = FusedView<C>;
  static constexpr int streams() {
    int n = 0;
    for (int i = 0; i < View::header.instructions; ++i) {
      const Instruction in = View::instruction(i);
      if (in.op == Opcode::random && n <= in.aux) n = in.aux + 1;
    }
    return n;
  }
  void* pointer[View::header.operands > 0 ? View::header.operands : 1];
  i64 rows, rows_per_chunk, last_cols, partial_bytes;
  u32 stream[streams() > 0 ? streams() : 1];
  const Segment* segments;
  int segment_count;
};

// Tag: weft's version and the targets of this compilation (design, section 10).
template <u64 Tag, u64 Align, u64 Large, u64... W>
__global__ void __launch_bounds__((FusedGrid<Code<W...>, static_cast<int>(Align), Large != 0>::block))
    WEFT_KERNEL fused_kernel(const __grid_constant__ FusedParameters<Code<W...>> args) {
  using Grid = FusedGrid<Code<W...>, static_cast<int>(Align), Large != 0>;
  extern __shared__ __align__(16) unsigned char weft_shared_memory[];
  BlockTeam<Grid::block> team(weft_shared_memory);
  Grid::run(team, args, static_cast<i64>(blockIdx.x));
}

template <u64 Align, u64 Large, u64... W>
void enqueue_fused_in(const FusedParameters<Code<W...>>& args, i64 blocks, cudaStream_t stream) {
  using Grid = FusedGrid<Code<W...>, static_cast<int>(Align), Large != 0>;
  static_assert(Grid::shared_bytes() <= (Large != 0 ? Grid::most_large_bytes : Grid::most_shared_bytes),
                "a fused kernel keeps more of its row than a block's shared memory holds");
  constexpr auto* kernel = &fused_kernel<kernel_tag, Align, Large, W...>;
  if constexpr (Large != 0)
    cuda_check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(Grid::shared_bytes())),
               "cudaFuncSetAttribute", "a fused kernel");
  kernel<<<cuda_blocks(blocks), Grid::block, static_cast<std::size_t>(Grid::shared_bytes()), stream>>>(args);
  cuda_check_launch("a fused kernel");
}

// Where operand K is in the launch's first row. Law: what walks a part of its rows has them along one axis.
template <class C, int K>
void* address_in_first_row(const LaunchArgs& args) {
  using View = FusedView<C>;
  if (args.first_row == 0) return args.pointer[K];
  if constexpr (View::header.row_axes == 1 && !View::header.segmented)
    return static_cast<std::byte*>(args.pointer[K]) +
           args.first_row * View::stride(K, 0) * size_of(View::operand(K).dtype);
  else
    throw Error("cuda/rows", "a kernel whose rows are of several axes cannot walk a part of them");
}

template <class C, int... K>
void place_operands(FusedParameters<C>& args, const LaunchArgs& from, std::integer_sequence<int, K...>) {
  ((args.pointer[K] = address_in_first_row<C, K>(from)), ...);
}

// Enqueues a fused kernel whose arguments have been cut for the GPU (chunks: the blocks). Where a row fits
// only into the shared memory that some GPUs have, there are two kernels, with the same threads and the same
// sums.
template <u64 Align, u64... W>
void enqueue_fused(Code<W...>, const LaunchArgs& from, cudaStream_t stream) {
  using C = Code<W...>;
  using Grid = FusedGrid<C, static_cast<int>(Align)>;
  if (from.chunks == 0) return;
  FusedParameters<C> args{};
  place_operands(args, from, upto<FusedView<C>::header.operands>{});
  for (int k = 0; k < FusedParameters<C>::streams(); ++k) args.stream[k] = from.stream[k];
  args.rows = from.rows;
  args.rows_per_chunk = from.rows_per_chunk;
  args.last_cols = from.last_cols;
  args.partial_bytes = from.partial_bytes;
  args.segments = from.segments;
  args.segment_count = from.segment_count;
  if constexpr (Grid::wants_large) {
    using Staging = FusedGrid<C, static_cast<int>(Align), true>;
    static_assert(Staging::block == Grid::block && Staging::groups == Grid::groups);
    constexpr i64 needed = Staging::shared_bytes() + 1024;
    if (cuda_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) >= needed) {
      enqueue_fused_in<Align, 1, W...>(args, from.chunks, stream);
      return;
    }
  }
  enqueue_fused_in<Align, 0, W...>(args, from.chunks, stream);
}

}  // namespace WEFT_NAMESPACE::kernels
