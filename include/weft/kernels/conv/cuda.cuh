#pragma once
// The convolution on a GPU, a phase a launch: on tensor cores where they multiply its factors, else as the
// blocks of conv/block.hpp.

#include "weft/kernels/conv/mma.cuh"
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

// Adds up the parts of a phase where it has some.
template <u64 X, u64 W, u64 Y>
void finish_cuda_conv(const ConvBlockArgs& args, cudaStream_t stream) {
  if (args.cut.parts > 1)
    conv_finish_kernel<kernel_tag, X, W, Y>
        <<<cuda_blocks((args.cut.results + conv_block_threads - 1) / conv_block_threads), conv_block_threads,
           0, stream>>>(args);
}

// Packs the operands and multiplies them on tensor cores, a phase a launch.
template <u64 Type, u64 Y>
void run_cuda_conv_mma(const ConvShape& shape, const CudaLaunch& launch, cudaStream_t stream) {
  using T = ctype<static_cast<DType>(Type)>;
  const ConvShape packed = conv_packed(shape, sizeof(T));
  const ConvMmaMemory memory = conv_mma_memory(shape, sizeof(T));
  auto* const scratch = static_cast<std::byte*>(launch.args.pointer[3]);
  const ConvPack packs[]{conv_pack_x(shape, packed), conv_pack_w(shape, packed)};
  std::byte* const to[]{scratch + memory.x, scratch + memory.w};
  for (int k = 0; k < 2; ++k)
    if (packs[k].blocks() > 0)
      conv_pack_kernel<kernel_tag, Type><<<cuda_blocks(packs[k].blocks()), conv_pack_threads, 0, stream>>>(
          packs[k], launch.args.pointer[k], to[k]);
  const ConvBlockArgs from{{}, {}, to[0], to[1], launch.args.pointer[2], scratch + memory.partial};
  for_each_conv_phase<T, ctype<static_cast<DType>(Y)>>(
      packed, from, [](const ConvShape& phase) { return conv_mma_blocks(phase, sizeof(T)); },
      [&](const ConvBlockArgs& args) {
        conv_mma_kernel<kernel_tag, Type, Y><<<cuda_blocks(args.cut.blocks()), conv_mma_threads, 0, stream>>>(
            args, conv_mma_walk(args.shape, sizeof(T)));
        finish_cuda_conv<Type, Type, Y>(args, stream);
      });
}

// Without tensor cores. Tiles: whether large ones are cut into tiles, whose kernel is compiled then.
template <u64 X, u64 W, u64 Y, bool Tiles>
void run_cuda_conv_blocks(const ConvShape& shape, const CudaLaunch& launch, cudaStream_t stream) {
  const ConvBlockArgs from{
      {}, {}, launch.args.pointer[0], launch.args.pointer[1], launch.args.pointer[2], launch.args.pointer[3]};
  for_each_conv_phase<ctype<static_cast<DType>(W)>, ctype<static_cast<DType>(Y)>>(
      shape, from,
      [](const ConvShape& phase) { return Tiles ? conv_blocks(phase) : conv_blocks(phase, false); },
      [&](const ConvBlockArgs& args) {
        auto* kernel = &conv_direct_kernel<kernel_tag, X, W, Y>;
        if constexpr (Tiles)
          if (args.cut.tiled) kernel = &conv_tile_kernel<kernel_tag, X, W, Y>;
        kernel<<<cuda_blocks(args.cut.blocks()), conv_block_threads, 0, stream>>>(args);
        finish_cuda_conv<X, W, Y>(args, stream);
      });
}

// Operands x, w, y and conv_scratch_bytes of memory. Mark: conv_is_tf32 or 0.
template <u64 X, u64 W, u64 Y, u64 Mark>
void run_cuda_conv(const CudaLaunch& launch, cudaStream_t stream) {
  constexpr DType x = static_cast<DType>(X), w = static_cast<DType>(W), y = static_cast<DType>(Y);
  const ConvShape shape = conv_call(launch.numbers);
  if constexpr (targets_have_mma() && conv_has_mma(x, w, y, Mark == conv_is_tf32)) {
    if (conv_uses_mma(shape, size_of(x)))
      run_cuda_conv_mma<X, Y>(shape, launch, stream);
    else
      run_cuda_conv_blocks<X, W, Y, false>(shape, launch, stream);
  } else {
    run_cuda_conv_blocks<X, W, Y, true>(shape, launch, stream);
  }
  cuda_check_launch("a convolution");
}

}  // namespace WEFT_NAMESPACE::kernels
