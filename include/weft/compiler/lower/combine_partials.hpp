#pragma once
// The second stage of sums along rows: one launch for all that are still in parts, before the first kernel
// that reads one of them, or at the end.

#include "weft/compiler/lowered.hpp"
#include "weft/kernels/fused/combine_partials.hpp"

namespace WEFT_NAMESPACE::compiler {

// Puts together what kernels [first, last) left in parts; as many launches as it takes sums.
constexpr void lower_combine_partials(const ir::Graph& g, const kernel_ir::Fusion& f,
                                      const kernel_ir::Plan& plan, int first, int last, Lowered& out) {
  List<u64> addresses, numbers;
  i64 bytes = 0;
  int sums = 0;
  const auto flush = [&] {
    if (sums == 0) return;
    out.step(StepKind::combine_partials, out.kernel(StepKind::combine_partials, List<u64>()), addresses,
             numbers)
        .bytes = bytes;
    addresses.clear();
    numbers.clear();
    bytes = sums = 0;
  };
  const kernel_ir::Kernel* kernels = f.kernels.data();
  const kernel_ir::Tiling* tilings = plan.tilings.data();
  for (int k = first; k < last; ++k) {
    if (tilings[k].partials == kernel_ir::BufferAddress::none) continue;
    const ir::Span stores = kernels[k].stores;
    i64 stride = 0;
    for (int i = 0; i < stores.size; ++i) {
      const int x = f.pool[stores.begin + i];
      if (kernel_ir::is_split_sum(f.level[x], tilings[k])) stride += kernel_ir::part_bytes(g, x, tilings[k]);
    }
    i64 offset = 0;
    for (int i = 0; i < stores.size; ++i) {
      const int x = f.pool[stores.begin + i];
      if (!kernel_ir::is_split_sum(f.level[x], tilings[k])) continue;
      addresses.push(tilings[k].partials + static_cast<u64>(offset));
      addresses.push(plan.where[x]);
      u64 call[kernels::CombineCall::numbers]{};
      const i64 batches = tilings[k].batches();
      kernels::CombineCall{tilings[k].parts(),     stride, g.dims(x).size() / batches, g.nodes[x].dtype,
                           fold_of(g.nodes[x].op), batches}
          .encode(call);
      numbers.append(call, kernels::CombineCall::numbers);
      offset += kernel_ir::part_bytes(g, x, tilings[k]);
      bytes += tilings[k].parts() * kernel_ir::bytes_of(g, x);
      if (++sums == kernels::CombineArgs::max_sums) flush();
    }
  }
  flush();
}

}  // namespace WEFT_NAMESPACE::compiler
