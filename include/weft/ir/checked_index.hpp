#pragma once
// Which operands of a node are places whose range check::indices looks at. Law: a place that scatters skip,
// or that a lookup gives zero for, is nobody's mistake and is not among them.

#include "weft/ir/along_axis.hpp"
#include "weft/ir/dynamic_slice.hpp"

namespace WEFT_NAMESPACE::ir {

// visit(k, least, most) for each such operand k of node i: its elements are to be among least ... most.
template <class F>
constexpr void each_checked_index(const Graph& g, int i, const F& visit) {
  const Op op = g.nodes[i].op;
  if (is_dynamic_slice(op)) {  // offsets, which would be clamped
    const Dims &whole = whole_dims(g, i), &block = block_dims(g, i);
    int k = block_operands(op);
    for (int axis = 0; axis < whole.rank; ++axis)
      if (g.attribute(i, axis + 1) == BlockPlace::dynamic)
        visit(k++, i64{0}, last_offset(whole, block, axis));
  } else if (op == Op::take_rows) {
    visit(1, i64{0}, g.dims(g.in(i, 0)).extent[0] - 1);
  } else if (op == Op::take_along_axis && g.attribute(i, 1) == 0) {  // 1: zeros outside
    const i64 extent = g.dims(g.in(i, 0)).extent[axis_of(g, i)];
    visit(1, -extent, extent - 1);
  }
}

}  // namespace WEFT_NAMESPACE::ir
