#pragma once
// The second stage of sums along rows on a GPU.

#include "weft/kernels/fused/combine_partials.hpp"
#include "weft/kernels/launch/cuda.cuh"
#include "weft/kernels/team/cuda.cuh"

namespace WEFT_NAMESPACE::kernels {

inline constexpr int combine_threads = 256;

template <u64 Tag, u64 Set>
__global__ void __launch_bounds__(combine_threads) WEFT_KERNEL
    combine_partials_kernel(const __grid_constant__ CombineArgs args) {
  __shared__ __align__(16) unsigned char slots[combine_threads * 8];
  BlockTeam<combine_threads> team(slots);
  combine_block<Set>(team, args, static_cast<i64>(blockIdx.x));
}

template <u64 Set>
void run_cuda_combine_partials(const CudaLaunch& launch, cudaStream_t stream) {
  i64 blocks = 0;
  const CombineArgs args = combine_args(launch.sums, launch.sum_count, combine_threads, blocks);
  if (blocks == 0) return;
  combine_partials_kernel<kernel_tag, Set><<<cuda_blocks(blocks), combine_threads, 0, stream>>>(args);
  cuda_check_launch("the second stage of a sum");
}

}  // namespace WEFT_NAMESPACE::kernels
