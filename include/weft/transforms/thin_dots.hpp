#pragma once
// Products that are none for an engine of products. One whose operands have no rows or columns, as of two
// vectors or of many pairs of them, is a sum of products element by element, which goes over memory in lanes
// where a product would add up one number after another; so is a matrix times one vector, where a row of the
// matrix lies along what is contracted: each of its numbers is used once, and an engine would first lay them
// out anew. One that contracts a single element multiplies each row by each column, and adds nothing up. All
// are fused with what makes their operands. Law: the same value, a sum in the order of sums.

#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::transforms {

// The axis of a value along which its elements lie next to each other, -1 of a single element.
constexpr int contiguous_axis(const ir::Graph& g, int node) {
  const ir::Node& n = g.nodes.items[node];
  if (n.op == ir::Op::cast) return contiguous_axis(g, g.in(node, 0));
  if (n.op == ir::Op::permute) {
    const int axis = contiguous_axis(g, g.in(node, 0));
    for (int a = 0; a < g.dims(node).rank; ++a)
      if (g.attribute(node, a) == axis) return a;
    return -1;
  }
  const Dims& d = g.dims(node);
  int axis = d.rank - 1;
  while (axis >= 0 && d.extent[axis] == 1) --axis;
  return axis;
}

// Whether dot i is such a product.
constexpr bool is_thin_dot(const ir::Graph& g, int i) {
  const ir::Node& node = g.nodes.items[i];
  if (node.op != ir::Op::dot || node.imm != 0) return false;
  const ir::DotAxes axes = ir::dot_axes(g, i);
  const Dims &x = g.dims(g.in(i, 0)), &d = g.dims(i);
  i64 batch = 1, contracted = 1;
  for (int k = 0; k < axes.batch; ++k) batch *= x.extent[axes.batch_a[k]];
  for (int k = 0; k < axes.contracted; ++k) contracted *= x.extent[axes.contracted_a[k]];
  if (contracted == 1) return true;
  if (contracted == 0 || d.rank == max_rank) return false;
  if (d.size() == batch) return true;
  // rows of one factor by the only column of the other
  const bool of_x = x.size() > batch * contracted, of_y = g.dims(g.in(i, 1)).size() > batch * contracted;
  if (of_x == of_y) return false;
  const int along = contiguous_axis(g, g.in(i, of_x ? 0 : 1));
  for (int k = 0; k < axes.contracted; ++k)
    if ((of_x ? axes.contracted_a : axes.contracted_b)[k] == along) return true;
  return false;
}

// x with its batch axes first, then its free axes, then those that are contracted, as one of extents `to`.
constexpr ir::Value in_axes_order(ir::Value x, int batch, const int* batch_axes, int contracted,
                                  const int* contracted_axes, const Dims& to) {
  const int rank = x.dims().rank;
  i64 order[max_rank]{};
  int n = 0;
  ir::Axes used = 0;
  for (int k = 0; k < batch; ++k) order[n++] = batch_axes[k], used |= ir::Axes{1} << batch_axes[k];
  for (int k = 0; k < contracted; ++k) used |= ir::Axes{1} << contracted_axes[k];
  for (int a = 0; a < rank; ++a)
    if (!(used >> a & 1u)) order[n++] = a;
  for (int k = 0; k < contracted; ++k) order[n++] = contracted_axes[k];
  return ir::reshape(ir::permute(x, order), to);
}

// Dot i's value, of the factors x and y in another graph.
constexpr ir::Value thin_dot(const ir::Graph& g, int i, ir::Value x, ir::Value y) {
  const ir::DotAxes axes = ir::dot_axes(g, i);
  const DType result = g.nodes.items[i].dtype, wide = ir::reduction_dtype(result);
  const Dims d = g.dims(i);  // (batch, free axes of x, free axes of y)
  const int batch = axes.batch, free_x = x.dims().rank - batch - axes.contracted;
  i64 length = 1;
  for (int k = 0; k < axes.contracted; ++k) length *= x.dims().extent[axes.contracted_a[k]];
  Dims of_x = d, of_y = d;
  for (int a = batch; a < d.rank; ++a) (a < batch + free_x ? of_y : of_x).extent[a] = 1;
  if (length > 1) {  // behind the axes of the result
    of_x.extent[of_x.rank++] = length;
    of_y.extent[of_y.rank++] = length;
  }
  x = ir::cast(in_axes_order(x, batch, axes.batch_a, axes.contracted, axes.contracted_a, of_x), wide);
  y = ir::cast(in_axes_order(y, batch, axes.batch_b, axes.contracted, axes.contracted_b, of_y), wide);
  ir::Value r = x * y;
  if (length > 1) r = ir::reshape(ir::reduce(ir::Op::reduce_sum, r, ir::Axes{1} << d.rank), d);
  return ir::cast(r, result);
}

}  // namespace WEFT_NAMESPACE::transforms
