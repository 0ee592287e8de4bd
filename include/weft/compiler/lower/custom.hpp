#pragma once
// A custom primitive as a step. Words: its id, whether it stands for a gradient that is not there, how many
// tensors, then their dtypes: the result's, the operands'. Numbers: rank and extents of each.

#include "weft/compiler/lowered.hpp"
#include "weft/ir/custom.hpp"

namespace WEFT_NAMESPACE::compiler {

constexpr void lower_custom(const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan,
                            int node, Lowered& out) {
  const ir::Node& n = g.nodes[node];
  List<u64> code, addresses, numbers;
  code.push(n.imm);
  code.push(static_cast<u64>(g.attribute(node, 0)));
  code.push(static_cast<u64>(n.arity + 1));
  i64 bytes = 0;
  for (int k = 0; k <= n.arity; ++k) {
    const int x = k == 0 ? node : g.in(node, k - 1);
    const DType dtype = g.nodes[x].dtype;
    const Dims& d = g.dims(x);
    code.push(static_cast<u64>(dtype));
    addresses.push(k == 0 ? plan.where[node] : plan.address(f.view_in(g, x, f.kernel_of[node]), dtype));
    numbers.push(static_cast<u64>(d.rank));
    for (int a = 0; a < d.rank; ++a) numbers.push(static_cast<u64>(d.extent[a]));
    bytes += kernel_ir::bytes_of(g, x);
  }
  out.step(StepKind::custom, out.kernel(StepKind::custom, code), addresses, numbers).bytes = bytes;
}

}  // namespace WEFT_NAMESPACE::compiler
