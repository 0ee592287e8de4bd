#pragma once
// A collective as a step. Words: none. Addresses: where it lies; of an all_gather_start and an all_reduce_max
// none, which is the program's communicator's, and where the operand does. Numbers: request, elements, dtype;
// of one that works on pieces then where it begins in the vector that is shared, and that one's elements and
// grain. A reduce_scatter_into_start: where its (1) lies, none, where the vector does, the operands; then
// numbers of each operand: its place behind the first one's, and its elements. An all_gather_state_start:
// where its elements lie, none, where they do in the state, and where that begins; behind the numbers the
// state's dtype. A reduce_scatter_state_start: where its (1) lies, none, where the operand does, where that
// belongs, and where the vector begins. The begin of either follows from its addresses; the number is that
// outside of loops, inside 0.

#include "weft/compiler/lowered.hpp"

namespace WEFT_NAMESPACE::compiler {

constexpr StepKind collective_kind(ir::Op op) {
  switch (op) {
    case ir::Op::all_reduce_start:
      return StepKind::all_reduce_start;
    case ir::Op::all_reduce_done:
      return StepKind::all_reduce_done;
    case ir::Op::reduce_scatter_start:
      return StepKind::reduce_scatter_start;
    case ir::Op::reduce_scatter_done:
      return StepKind::reduce_scatter_done;
    case ir::Op::reduce_scatter_into_start:
      return StepKind::reduce_scatter_into_start;
    case ir::Op::reduce_scatter_into_done:
      return StepKind::reduce_scatter_into_done;
    case ir::Op::reduce_scatter_state_start:
      return StepKind::reduce_scatter_state_start;
    case ir::Op::all_reduce_max:
      return StepKind::all_reduce_max;
    case ir::Op::all_gather_state_start:
      return StepKind::all_gather_state_start;
    case ir::Op::all_gather_start:
      return StepKind::all_gather_start;
    case ir::Op::collective_await:
      return StepKind::collective_await;
    default:
      return StepKind::all_gather_done;
  }
}
constexpr bool is_collective(StepKind kind) {
  return kind >= StepKind::all_reduce_start && kind <= StepKind::all_gather_done;
}

constexpr void lower_reduce_scatter_into(const ir::Graph& g, const kernel_ir::Fusion& f,
                                         const kernel_ir::Plan& plan, int node, Lowered& out) {
  const ir::Node& n = g.nodes[node];
  const ir::Slot& slot = g.slots[static_cast<int>(g.attribute(node, 0))];
  const i64 begin = g.attribute(node, 3);
  const int last = n.arity - 1;
  const i64 end = g.attribute(node, 3 + last) + g.dims(g.in(node, last)).size();
  List<u64> addresses(1, plan.where[node]), numbers(1, n.imm);
  addresses.push(kernel_ir::BufferAddress::none);
  addresses.push(kernel_ir::BufferAddress::make(slot.space, slot.offset));
  for (const i64 number :
       {end - begin, static_cast<i64>(n.dtype), begin, g.attribute(node, 1), g.attribute(node, 2)})
    numbers.push(static_cast<u64>(number));
  for (int k = 0; k < n.arity; ++k) {
    addresses.push(plan.address(f.view_in(g, g.in(node, k), f.kernel_of[node]), n.dtype));
    numbers.push(static_cast<u64>(g.attribute(node, 3 + k) - begin));
    numbers.push(static_cast<u64>(g.dims(g.in(node, k)).size()));
  }
  out.step(StepKind::reduce_scatter_into_start, out.kernel(StepKind::reduce_scatter_into_start, List<u64>()),
           addresses, numbers)
      .bytes = 2 * (end - begin) * size_of(n.dtype);
}

constexpr void lower_all_gather_state(const ir::Graph& g, const kernel_ir::Fusion& f,
                                      const kernel_ir::Plan& plan, int node, Lowered& out) {
  const ir::Node& n = g.nodes[node];
  const int x = g.in(node, 0);
  const ir::Node& from = g.nodes[x];
  List<u64> addresses(1, plan.where[node]), numbers(1, n.imm);
  addresses.push(kernel_ir::BufferAddress::none);
  addresses.push(plan.address(f.view_in(g, x, f.kernel_of[node]), from.dtype));
  addresses.push(kernel_ir::BufferAddress::make(ir::Space::model, 0));
  const bool known = from.op == ir::Op::state;
  const i64 begin = known ? g.slots[static_cast<int>(from.imm)].offset / size_of(from.dtype) : 0;
  for (const i64 number : {g.dims(node).size(), static_cast<i64>(n.dtype), begin, g.attribute(node, 1),
                           g.attribute(node, 2), static_cast<i64>(from.dtype)})
    numbers.push(static_cast<u64>(number));
  out.step(StepKind::all_gather_state_start, out.kernel(StepKind::all_gather_state_start, List<u64>()),
           addresses, numbers)
      .bytes = 2 * kernel_ir::bytes_of(g, node);
}

constexpr void lower_reduce_scatter_state(const ir::Graph& g, const kernel_ir::Fusion& f,
                                          const kernel_ir::Plan& plan, int node, Lowered& out) {
  const ir::Node& n = g.nodes[node];
  const auto address = [&](int operand) {
    const int x = g.in(node, operand);
    return plan.address(f.view_in(g, x, f.kernel_of[node]), g.nodes[x].dtype);
  };
  const i64 elements = g.dims(g.in(node, 0)).size();
  List<u64> addresses(1, plan.where[node]), numbers(1, n.imm);
  addresses.push(kernel_ir::BufferAddress::none);
  addresses.push(address(0));
  addresses.push(address(1));
  addresses.push(kernel_ir::BufferAddress::make(ir::Space::optimizer, g.attribute(node, 0)));
  for (const i64 number :
       {elements, static_cast<i64>(n.dtype), i64{0}, g.attribute(node, 1), g.attribute(node, 2)})
    numbers.push(static_cast<u64>(number));
  out.step(StepKind::reduce_scatter_state_start,
           out.kernel(StepKind::reduce_scatter_state_start, List<u64>()), addresses, numbers)
      .bytes = 2 * elements * size_of(n.dtype);
}

constexpr void lower_collective(const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan,
                                int node, Lowered& out) {
  const ir::Node& n = g.nodes[node];
  if (n.op == ir::Op::reduce_scatter_into_start) return lower_reduce_scatter_into(g, f, plan, node, out);
  if (n.op == ir::Op::reduce_scatter_state_start) return lower_reduce_scatter_state(g, f, plan, node, out);
  if (n.op == ir::Op::all_gather_state_start) return lower_all_gather_state(g, f, plan, node, out);
  const StepKind kind = collective_kind(n.op);
  List<u64> addresses(1, plan.where[node]), numbers(1, n.imm);
  if (kind == StepKind::all_gather_start || kind == StepKind::all_reduce_max) {
    addresses.push(kernel_ir::BufferAddress::none);
    addresses.push(plan.address(f.view_in(g, g.in(node, 0), f.kernel_of[node]), n.dtype));
  }
  numbers.push(static_cast<u64>(g.dims(node).size()));
  numbers.push(static_cast<u64>(n.dtype));
  for (int k = 0; k < g.attributes(node); ++k)  // a done has none
    numbers.push(static_cast<u64>(g.attribute(node, k)));
  const bool starts = g.attributes(node) > 0;
  out.step(kind, out.kernel(kind, List<u64>()), addresses, numbers).bytes =
      starts ? 2 * kernel_ir::bytes_of(g, node) : 0;
}

// A group_collective. Addresses: the result, none, which is the group's communicator, the operand. Numbers:
// the GroupCall, elements of the operand, dtype.
constexpr void lower_group_collective(const ir::Graph& g, const kernel_ir::Fusion& f,
                                      const kernel_ir::Plan& plan, int node, Lowered& out) {
  const ir::Node& n = g.nodes[node];
  const int x = g.in(node, 0);
  List<u64> addresses(1, plan.where[node]), numbers(1, n.imm);
  addresses.push(kernel_ir::BufferAddress::none);
  addresses.push(plan.address(f.view_in(g, x, f.kernel_of[node]), n.dtype));
  numbers.push(static_cast<u64>(g.dims(x).size()));
  numbers.push(static_cast<u64>(n.dtype));
  out.step(StepKind::group_collective, out.kernel(StepKind::group_collective, List<u64>()), addresses,
           numbers)
      .bytes = kernel_ir::bytes_of(g, x) + kernel_ir::bytes_of(g, node);
}

}  // namespace WEFT_NAMESPACE::compiler
