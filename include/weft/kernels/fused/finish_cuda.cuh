#pragma once
// The second stage of sums along rows on a GPU.

#include "weft/kernels/fused/finish.hpp"
#include "weft/kernels/launch/cuda.cuh"
#include "weft/kernels/team/cuda.cuh"

namespace WEFT_NAMESPACE::kernels {

inline constexpr int finish_threads = 256;

template <u64 Tag, u64 Set>
__global__ void __launch_bounds__(finish_threads) WEFT_KERNEL
    finish_kernel(const __grid_constant__ FinishArgs args) {
  __shared__ __align__(16) unsigned char slots[finish_threads * 8];
  BlockTeam<finish_threads> team(slots);
  finish_block<Set>(team, args, static_cast<i64>(blockIdx.x));
}

template <u64 Set>
void run_cuda_finish(const CudaLaunch& launch, cudaStream_t stream) {
  i64 blocks = 0;
  const FinishArgs args = finish_args(launch.sums, launch.sum_count, finish_threads, blocks);
  finish_kernel<kernel_tag, Set><<<cuda_blocks(blocks), finish_threads, 0, stream>>>(args);
  cuda_check_launch("the second stage of a sum");
}

}  // namespace WEFT_NAMESPACE::kernels
