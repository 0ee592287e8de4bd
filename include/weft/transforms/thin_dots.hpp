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

// x in the order of its batch axes, `before` extents of 1, its free axes and as many of 1 as there are free
// axes of the other factor behind them, and one axis of what is contracted.
constexpr ir::Value factor_of_map(ir::Value x, int batch, const int* batch_axes, int contracted,
                                  const int* contracted_axes, int before, int behind) {
  const Dims from = x.dims();
  i64 order[max_rank]{}, extents[max_rank + 1]{};
  int n = 0, at = 0;
  ir::Axes used = 0;
  const auto take = [&](int axis) { order[at++] = axis, used |= ir::Axes{1} << axis; };
  for (int k = 0; k < batch; ++k) take(batch_axes[k]), extents[n++] = from.extent[batch_axes[k]];
  for (int k = 0; k < contracted; ++k) used |= ir::Axes{1} << contracted_axes[k];
  for (int k = 0; k < before; ++k) extents[n++] = 1;
  for (int a = 0; a < from.rank; ++a)
    if (!(used >> a & 1u)) order[at++] = a, extents[n++] = from.extent[a];
  for (int k = 0; k < behind; ++k) extents[n++] = 1;
  i64 length = 1;
  for (int k = 0; k < contracted; ++k)
    order[at++] = contracted_axes[k], length *= from.extent[contracted_axes[k]];
  if (length != 1) extents[n++] = length;
  return ir::reshape(ir::permute(x, order), ir::make_dims(n, extents));
}

// Dot i's value, of the factors x and y in another graph.
constexpr ir::Value thin_dot(const ir::Graph& g, int i, ir::Value x, ir::Value y) {
  const ir::DotAxes axes = ir::dot_axes(g, i);
  const DType result = g.nodes.items[i].dtype, wide = ir::reduction_dtype(result);
  const Dims d = g.dims(i);
  const int free_a = x.dims().rank - axes.batch - axes.contracted,
            free_b = y.dims().rank - axes.batch - axes.contracted;
  bool sums = false;
  for (int k = 0; k < axes.contracted; ++k) sums = sums || x.dims().extent[axes.contracted_a[k]] != 1;
  const int before = sums ? 0 : free_a, behind = sums ? 0 : free_b;  // of a sum free axes have extent 1
  const auto factor = [&](ir::Value v, const int* batch, const int* contracted, int ones_before,
                          int ones_behind) {
    return ir::cast(
        factor_of_map(v, axes.batch, batch, axes.contracted, contracted, ones_before, ones_behind), wide);
  };
  ir::Value a = factor(x, axes.batch_a, axes.contracted_a, 0, behind),
            b = factor(y, axes.batch_b, axes.contracted_b, before, 0);
  if (!sums) return ir::cast(ir::broadcast(a, d) * ir::broadcast(b, d), result);
  Dims flat = a.dims();  // (batch, contracted): free axes are dropped
  const i64 length = flat.extent[flat.rank - 1];
  flat.rank = axes.batch + 1;
  flat.extent[axes.batch] = length;
  const ir::Value products = ir::reshape(a, flat) * ir::reshape(b, flat);
  return ir::reshape(ir::cast(ir::reduce(ir::Op::reduce_sum, products, ir::Axes{1} << axes.batch), result),
                     d);
}

}  // namespace WEFT_NAMESPACE::transforms
