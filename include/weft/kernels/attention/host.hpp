#pragma once
// Attention on the host, as steps. Law: blocks and their order depend on the extents alone, so every number
// of threads gives the same bits.

#include "weft/kernels/attention/backward.hpp"
#include "weft/kernels/attention/forward.hpp"

namespace WEFT_NAMESPACE::kernels {

template <class C>
void run_attention(const HostLaunch& launch, int threads) {
  const HostAttentionForward<C> forward(launch);
  // Small blocks, such as those of a decoder's one query, go to a thread several at a time.
  const i64 items = forward.items(), work = forward.work_of_item(), enough = 500'000;
  const i64 together = work >= enough ? 1 : enough / work;
  parallel_for(dot_ceil_div(items, together), threads, [&](i64 group) {
    const i64 end = (group + 1) * together < items ? (group + 1) * together : items;
    for (i64 item = group * together; item < end; ++item) forward.run(item);
  });
}
template <class C>
void run_attention_gradient(const HostLaunch& launch, int threads) {
  HostAttentionBackward<C>(launch).run(threads);
}

}  // namespace WEFT_NAMESPACE::kernels
