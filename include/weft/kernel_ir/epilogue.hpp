#pragma once
// Additions to a matrix product that its kernel can make to the finished sums: a value laid out as the
// result, then one entry a column. Law: the sums, the first addition and the second are each rounded to f32,
// as the separate nodes would be, so that what is absorbed changes no bit.

#include "weft/kernel_ir/views.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

// Whether `v`, a view of product `dot`'s extents, has one entry for each column of the result, next to each
// other. `vb`: how the product reads its second operand, whose free axes are those columns.
constexpr bool is_column_bias(const ir::Graph& g, int dot, const View& v, const View& vb) {
  const ir::DotAxes axes = ir::dot_axes(g, dot);
  const Dims &d = g.dims(dot), &db = g.dims(g.in(dot, 1));
  int axis = d.rank - 1;  // of the result
  i64 columns = 1;
  for (int b = db.rank - 1, inner = -1; b >= 0; --b) {
    if (axes.used_b() >> b & 1u) continue;
    if (db.extent[b] != 1) {
      // the product walks all its columns with one stride
      if (inner >= 0 && vb.stride[b] != vb.stride[inner] * db.extent[inner]) return false;
      if (v.stride[axis] != columns) return false;
      inner = b;
      columns *= db.extent[b];
    }
    --axis;
  }
  for (; axis >= 0; --axis)
    if (d.extent[axis] != 1 && v.stride[axis] != 0) return false;
  return true;
}

// (dot + bias) + x, with nothing else reading the product or the first sum, becomes (dot + x) + bias: in that
// order one kernel can do both. `uses` counts the readers of each node, outputs among them.
struct DeferredBias {
  int inner = -1;  // dot + bias, which goes
  int dot = -1, bias = -1, x = -1;
};
constexpr DeferredBias deferred_bias(const ir::Node* nodes, const int* edges, int node, const int* uses) {
  const ir::Node& sum = nodes[node];
  if (sum.op != ir::Op::add || sum.dtype != DType::f32) return {};
  const int* outer = edges + sum.first;
  for (int k = 0; k < 2; ++k) {
    const int inner = outer[k];
    if (nodes[inner].op != ir::Op::add || uses[inner] != 1 || nodes[outer[1 - k]].op == ir::Op::broadcast)
      continue;
    const int* in = edges + nodes[inner].first;
    for (int j = 0; j < 2; ++j)
      if (nodes[in[j]].op == ir::Op::dot && uses[in[j]] == 1 && nodes[in[1 - j]].op == ir::Op::broadcast)
        return {inner, in[j], in[1 - j], outer[1 - k]};
  }
  return {};
}

}  // namespace WEFT_NAMESPACE::kernel_ir
