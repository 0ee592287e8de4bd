#pragma once
// From the plan to launches: every group in order, and the copies between them.

#include "weft/codegen/lower_dot.hpp"
#include "weft/codegen/lower_loop.hpp"

namespace weft::codegen {

constexpr Lowered lower(const ir::Graph& g, const passes::Fusion& f, const passes::Plan& plan) {
  Lowered out;
  LoopLowering loops(g, f, plan, out);
  int copied = 0;
  List<passes::Copy> copies = plan.copies;
  sort(copies, [](const passes::Copy& a, const passes::Copy& b) { return a.before < b.before; });
  for (int k = 0; k <= f.groups.size(); ++k) {
    for (; copied < copies.size() && copies[copied].before <= k; ++copied) {
      List<u64> addresses, numbers;
      addresses.push(copies[copied].from);
      addresses.push(copies[copied].to);
      numbers.push(static_cast<u64>(copies[copied].bytes));
      out.step(StepKind::copy, out.kernel(StepKind::copy, List<u64>()), addresses, numbers).bytes = 2 * copies[copied].bytes;
    }
    if (k == f.groups.size()) break;
    const passes::Group& group = f.groups[k];
    if (group.opaque < 0) {
      if (group.stores.size > 0) loops.lower(k);
    } else if (g.nodes[group.opaque].op == ir::Op::dot) {
      lower_dot(g, f, plan, group.opaque, out);
    } else {
      lower_index(g, f, plan, group.opaque, out);
    }
  }
  return out;
}

}  // namespace weft::codegen
