#pragma once
// Attention on the host, as steps. Law: blocks and their order depend on the extents alone, so every number
// of threads gives the same bits.

#include "weft/kernels/attention/backward.hpp"
#include "weft/kernels/attention/forward.hpp"

namespace WEFT_NAMESPACE::kernels {

template <class C>
void run_attention(const HostLaunch& launch, int threads) {
  const HostAttentionForward<C> forward(launch);
  parallel_for(forward.items(), threads, [&](i64 item) { forward.run(item); });
}
template <class C>
void run_attention_gradient(const HostLaunch& launch, int threads) {
  HostAttentionBackward<C>(launch).run(threads);
}

}  // namespace WEFT_NAMESPACE::kernels
