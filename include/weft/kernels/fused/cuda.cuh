#pragma once
// A fused kernel as a CUDA kernel: one block a chunk of rows, or a part of one. Law: it runs the body of
// body.hpp and nothing else; what a block does follows from grid.hpp.

#include <type_traits>

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
template <u64 Tag, u64 Align, u64... W>
__global__ void __launch_bounds__((FusedGrid<Code<W...>, static_cast<int>(Align)>::block)) WEFT_KERNEL
    fused_kernel(const __grid_constant__ FusedParameters<Code<W...>> args) {
  using Grid = FusedGrid<Code<W...>, static_cast<int>(Align)>;
  extern __shared__ __align__(16) unsigned char weft_shared_memory[];
  BlockTeam<Grid::block> team(weft_shared_memory);
  Grid::run(team, args, static_cast<i64>(blockIdx.x));
}

// Enqueues a fused kernel whose arguments have been cut for the GPU (chunks: the blocks).
template <u64 Align, u64... W>
void enqueue_fused(Code<W...>, const LaunchArgs& from, cudaStream_t stream) {
  using C = Code<W...>;
  using Grid = FusedGrid<C, static_cast<int>(Align)>;
  static_assert(Grid::shared_bytes() <= Grid::most_shared_bytes,
                "a fused kernel keeps more of its row than a block's shared memory holds");
  if (from.chunks == 0) return;
  FusedParameters<C> args{};
  for (int k = 0; k < FusedView<C>::header.operands; ++k) args.pointer[k] = from.pointer[k];
  for (int k = 0; k < FusedParameters<C>::streams(); ++k) args.stream[k] = from.stream[k];
  args.rows = from.rows;
  args.rows_per_chunk = from.rows_per_chunk;
  args.last_cols = from.last_cols;
  args.partial_bytes = from.partial_bytes;
  args.segments = from.segments;
  args.segment_count = from.segment_count;
  fused_kernel<kernel_tag, Align, W...>
      <<<cuda_blocks(from.chunks), Grid::block, static_cast<std::size_t>(Grid::shared_bytes()), stream>>>(
          args);
  cuda_check_launch("a fused kernel");
}

}  // namespace WEFT_NAMESPACE::kernels
