#pragma once
// From the plan to launches: every kernel in order, between them the second stages of sums and copies.

#include "weft/compiler/lower/along_axis.hpp"
#include "weft/compiler/lower/attention.hpp"
#include "weft/compiler/lower/collective.hpp"
#include "weft/compiler/lower/combine_partials.hpp"
#include "weft/compiler/lower/conv.hpp"
#include "weft/compiler/lower/custom.hpp"
#include "weft/compiler/lower/dot.hpp"
#include "weft/compiler/lower/dynamic_slice.hpp"
#include "weft/compiler/lower/fused.hpp"
#include "weft/compiler/lower/loop.hpp"

namespace WEFT_NAMESPACE::compiler {

// The launches of kernels [first, last), and what comes before them; what comes after all kernels goes with
// the last.
constexpr Lowered lower(const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan,
                        int first, int last) {
  Lowered out;
  FusedLowering fused(g, f, plan, out);
  int combine = 0;  // the next of plan.combines
  while (combine < plan.combines.size() && plan.combines[combine] < first) ++combine;
  const auto sums = [&](int before) {
    if (combine == plan.combines.size() || plan.combines[combine] != before) return;
    lower_combine_partials(g, f, plan, combine > 0 ? plan.combines[combine - 1] : 0, before, out);
    ++combine;
  };
  const auto copies = [&](int before) {
    for (const kernel_ir::Copy& c : plan.copies) {
      if (c.before != before) continue;
      List<u64> addresses, numbers;
      addresses.push(c.from);
      addresses.push(c.to);
      numbers.push(static_cast<u64>(c.bytes));
      if (c.of_group) numbers.push(1);  // LaunchList asks: a rank may have a piece of it alone
      out.step(StepKind::copy, out.kernel(StepKind::copy, List<u64>()), addresses, numbers).bytes =
          2 * c.bytes;
    }
  };
  for (int k = first; k < last; ++k) {
    sums(k);
    if (!plan.copies.empty()) copies(k);
    const kernel_ir::Kernel& kernel = f.kernels[k];
    if (kernel.opaque < 0) {
      if (kernel.stores.size > 0) fused.lower(k);
    } else if (g.nodes[kernel.opaque].op == ir::Op::loop) {
      lower_loop(g, f, plan, k, out);
    } else if (ir::is_attention(g.nodes[kernel.opaque].op)) {
      lower_attention(g, f, plan, k, out);
    } else if (g.nodes[kernel.opaque].op == ir::Op::dot) {
      lower_dot(g, f, plan, k, out);
    } else if (ir::is_along_axis(g.nodes[kernel.opaque].op)) {
      lower_along_axis(g, f, plan, kernel.opaque, out);
    } else if (ir::is_dynamic_slice(g.nodes[kernel.opaque].op)) {
      lower_dynamic_slice(g, f, plan, kernel.opaque, out);
    } else if (g.nodes[kernel.opaque].op == ir::Op::conv) {
      lower_conv(g, f, plan, kernel.opaque, out);
    } else if (ir::is_collective(g.nodes[kernel.opaque].op)) {
      lower_collective(g, f, plan, kernel.opaque, out);
    } else if (g.nodes[kernel.opaque].op == ir::Op::group_collective) {
      lower_group_collective(g, f, plan, kernel.opaque, out);
    } else if (g.nodes[kernel.opaque].op == ir::Op::custom) {
      lower_custom(g, f, plan, kernel.opaque, out);
    } else {
      lower_index(g, f, plan, kernel.opaque, out);
    }
  }
  if (last == f.kernels.size()) {
    sums(last);
    copies(last);
  }
  return out;
}

constexpr Lowered lower(const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan) {
  return lower(g, f, plan, 0, f.kernels.size());
}

}  // namespace WEFT_NAMESPACE::compiler
