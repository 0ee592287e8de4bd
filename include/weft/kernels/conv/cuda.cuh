#pragma once
// The convolution on a GPU: the blocks of conv/block.hpp, a phase a launch.

#include "weft/kernels/conv/block.hpp"
#include "weft/kernels/launch/cuda.cuh"
#include "weft/kernels/team/cuda.cuh"

namespace WEFT_NAMESPACE::kernels {

// X, W, Y: the DTypes of the operands and of the result.
template <u64 Tag, u64 X, u64 W, u64 Y>
__global__ void __launch_bounds__(conv_block_threads, 1) WEFT_KERNEL
    conv_tile_kernel(const __grid_constant__ ConvBlockArgs args) {
  using TX = ctype<static_cast<DType>(X)>;
  using TW = ctype<static_cast<DType>(W)>;
  __shared__ __align__(16) unsigned char memory[conv_shared_bytes<DotSum2<TX, TW>>()];
  BlockTeam<conv_block_threads> team(memory);
  conv_tile_block<TX, TW, ctype<static_cast<DType>(Y)>>(team, args, static_cast<i64>(blockIdx.x));
}

template <u64 Tag, u64 X, u64 W, u64 Y>
__global__ void __launch_bounds__(conv_block_threads) WEFT_KERNEL
    conv_direct_kernel(const __grid_constant__ ConvBlockArgs args) {
  BlockTeam<conv_block_threads> team;
  conv_direct_block<ctype<static_cast<DType>(X)>, ctype<static_cast<DType>(W)>, ctype<static_cast<DType>(Y)>>(
      team, args, static_cast<i64>(blockIdx.x));
}

template <u64 Tag, u64 X, u64 W, u64 Y>
__global__ void __launch_bounds__(conv_block_threads) WEFT_KERNEL
    conv_finish_kernel(const __grid_constant__ ConvBlockArgs args) {
  using S = DotSum2<ctype<static_cast<DType>(X)>, ctype<static_cast<DType>(W)>>;
  BlockTeam<conv_block_threads> team;
  conv_finish_block<S, ctype<static_cast<DType>(Y)>>(team, args, static_cast<i64>(blockIdx.x));
}

// Operands x, w, y and, where the plan has parts, their sums.
template <u64 X, u64 W, u64 Y>
void run_cuda_conv(const CudaLaunch& launch, cudaStream_t stream) {
  const ConvBlockArgs from{
      {}, {}, launch.args.pointer[0], launch.args.pointer[1], launch.args.pointer[2], launch.args.pointer[3]};
  for_each_conv_phase<ctype<static_cast<DType>(W)>, ctype<static_cast<DType>(Y)>>(
      conv_call(launch.numbers), from, [&](const ConvBlockArgs& args) {
        const unsigned blocks = cuda_blocks(args.cut.blocks());
        if (args.cut.tiled)
          conv_tile_kernel<kernel_tag, X, W, Y><<<blocks, conv_block_threads, 0, stream>>>(args);
        else
          conv_direct_kernel<kernel_tag, X, W, Y><<<blocks, conv_block_threads, 0, stream>>>(args);
        if (args.cut.parts > 1)
          conv_finish_kernel<kernel_tag, X, W, Y>
              <<<cuda_blocks((args.cut.results + conv_block_threads - 1) / conv_block_threads),
                 conv_block_threads, 0, stream>>>(args);
      });
  cuda_check_launch("a convolution");
}

}  // namespace WEFT_NAMESPACE::kernels
