#pragma once
// The primitives along one axis as launches. Words: the dtypes of both operands and the fold. Numbers and
// addresses: as kernels/axis/args.hpp reads them.

#include "weft/compiler/lowered.hpp"
#include "weft/kernel_ir/along_axis.hpp"
#include "weft/kernels/axis/args.hpp"

namespace WEFT_NAMESPACE::compiler {

constexpr void lower_along_axis(const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan,
                                int node, Lowered& out) {
  const ir::Op op = g.nodes[node].op;
  const int kernel = f.kernel_of[node], axis = ir::axis_of(g, node);
  const bool scatters = op == ir::Op::scatter_reduce, two = g.nodes[node].arity > 1;
  // a: the lines, or what is scattered; b: indices, or what is looked for
  const int a = g.in(node, scatters ? 1 : 0), b = two ? g.in(node, scatters ? 0 : 1) : a;
  List<u64> code, addresses, numbers;
  const kernel_ir::View va = f.view_in(g, a, kernel), vb = f.view_in(g, b, kernel);
  const ir::AxisExtents lines = ir::extents_along(g.dims(scatters ? node : a), axis);
  const kernel_ir::AxisStrides sa = kernel_ir::axis_strides(va, g.dims(a), axis);
  const kernel_ir::AxisStrides sb = kernel_ir::axis_strides(vb, g.dims(b), axis);
  const bool folds = op == ir::Op::scan || scatters;
  code.push(static_cast<u64>(g.nodes[a].dtype));
  code.push(two ? static_cast<u64>(g.nodes[b].dtype) : 0);
  code.push(folds ? static_cast<u64>(g.attribute(node, op == ir::Op::scan ? 2 : 1)) : 0);
  addresses.push(plan.address(va, g.nodes[a].dtype));
  addresses.push(two ? plan.address(vb, g.nodes[b].dtype) : kernel_ir::BufferAddress::none);
  addresses.push(plan.where[node]);
  addresses.push(plan.tilings[kernel].partials);
  const bool flag =
      op == ir::Op::searchsorted ? g.attribute(node, 0) != 0 : !scatters && g.attribute(node, 1) != 0;
  const i64 count = op == ir::Op::argsort ? g.dims(node).extent[axis]
                    : op == ir::Op::scan  ? ir::scan_chunk(lines)
                                          : g.dims(b).extent[axis];
  for (const i64 x : {lines.outer, lines.extent, lines.inner, sa.outer, sa.axis, sa.inner, count, sb.outer,
                      sb.axis, sb.inner, static_cast<i64>(flag)})
    numbers.push(static_cast<u64>(x));
  const StepKind kind = op == ir::Op::scan              ? StepKind::scan
                        : op == ir::Op::argsort         ? StepKind::argsort
                        : op == ir::Op::take_along_axis ? StepKind::take_along_axis
                        : op == ir::Op::scatter_reduce  ? StepKind::scatter_reduce
                                                        : StepKind::searchsorted;
  Step& step = out.step(kind, out.kernel(kind, code), addresses, numbers);
  step.bytes = kernel_ir::bytes_of(g, node) + (two ? kernel_ir::bytes_of(g, b) : 0) +
               (op == ir::Op::take_along_axis ? kernel_ir::bytes_of(g, node) : kernel_ir::bytes_of(g, a));
  if (scatters) step.bytes += kernel_ir::bytes_of(g, node);
  if (folds) step.flops = g.dims(a).size();
}

}  // namespace WEFT_NAMESPACE::compiler
