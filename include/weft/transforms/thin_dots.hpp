#pragma once
// Products that are none for an engine of products. One whose operands have no rows or columns, as of two
// vectors or of many pairs of them, is a sum of products element by element, which goes over memory in lanes
// where a product would add up one number after another; one that contracts a single element multiplies each
// row by each column, and adds nothing up. Both are fused with what makes their operands. Law: the same
// value, a sum in the order of sums.

#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::transforms {

// Whether dot i is such a product.
constexpr bool is_thin_dot(const ir::Graph& g, int i) {
  const ir::Node& node = g.nodes.items[i];
  if (node.op != ir::Op::dot || node.imm != 0) return false;
  const ir::DotAxes axes = ir::dot_axes(g, i);
  const Dims& x = g.dims(g.in(i, 0));
  i64 batch = 1, contracted = 1;
  for (int k = 0; k < axes.batch; ++k) batch *= x.extent[axes.batch_a[k]];
  for (int k = 0; k < axes.contracted; ++k) contracted *= x.extent[axes.contracted_a[k]];
  return contracted == 1 || (g.dims(i).size() == batch && contracted > 1);
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
  // of a sum the free axes have extent 1, and (batch, contracted) is all there is
  Dims of_x = d, of_y = d;
  if (length == 1) {
    for (int a = batch; a < d.rank; ++a) (a < batch + free_x ? of_y : of_x).extent[a] = 1;
  } else {
    of_x.rank = batch + 1;
    of_x.extent[batch] = length;
    of_y = of_x;
  }
  x = ir::cast(in_axes_order(x, batch, axes.batch_a, axes.contracted, axes.contracted_a, of_x), wide);
  y = ir::cast(in_axes_order(y, batch, axes.batch_b, axes.contracted, axes.contracted_b, of_y), wide);
  if (length == 1) return ir::cast(x * y, result);
  return ir::reshape(ir::cast(ir::reduce(ir::Op::reduce_sum, x * y, ir::Axes{1} << batch), result), d);
}

}  // namespace WEFT_NAMESPACE::transforms
