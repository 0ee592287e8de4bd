#pragma once
// A collective as a step. Words: none. Address: where it lies. Numbers: request, elements, dtype.

#include "weft/compiler/lowered.hpp"

namespace WEFT_NAMESPACE::compiler {

constexpr void lower_collective(const ir::Graph& g, const kernel_ir::Plan& plan, int node, Lowered& out) {
  const ir::Node& n = g.nodes[node];
  const StepKind kind =
      n.op == ir::Op::all_reduce_start ? StepKind::all_reduce_start : StepKind::all_reduce_done;
  List<u64> addresses(1, plan.where[node]), numbers(1, n.imm);
  numbers.push(static_cast<u64>(g.dims(node).size()));
  numbers.push(static_cast<u64>(n.dtype));
  const i64 bytes = n.op == ir::Op::all_reduce_start ? 2 * kernel_ir::bytes_of(g, node) : 0;
  out.step(kind, out.kernel(kind, List<u64>()), addresses, numbers).bytes = bytes;
}

}  // namespace WEFT_NAMESPACE::compiler
