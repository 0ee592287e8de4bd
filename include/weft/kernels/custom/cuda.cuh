#pragma once
// Custom primitives on a GPU: the program's own function enqueues what it wants on the stream.

#include "weft/kernels/custom/host.hpp"
#include "weft/kernels/launch/cuda.cuh"

namespace WEFT_NAMESPACE::kernels {

template <class Op, class... A>
concept CustomCuda = requires(const A&... a, cudaStream_t stream) {
  Op::cuda(a..., stream);
};

template <class C>
void run_cuda_custom(const CudaLaunch& launch, cudaStream_t stream) {
  call_custom<C>(launch, [&]<class Op, class... T>(Op, const T&... tensor) {
    constexpr bool runs = CustomCuda<Op, T...>;
    static_assert(sizeof(CustomRunsOnCuda<runs, Op, T...>) > 0);
    if constexpr (runs) {
      Op::cuda(tensor..., stream);
      cuda_check_launch("a custom operation");
    }
  });
}

}  // namespace WEFT_NAMESPACE::kernels
