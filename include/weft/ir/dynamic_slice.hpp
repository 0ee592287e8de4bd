#pragma once
// dynamic_slice and dynamic_update_slice: a block of a tensor whose place is known at run time, read or
// written. Law: an offset is clamped so that the block lies inside. Attributes: how many leading axes are
// batch axes, for each of whose places there is an offset; then of every axis where the block begins, -1
// where an offset says it. Offsets, one an axis, have the extents of the batch axes. After XLA's DynamicSlice
// and DynamicUpdateSlice.

#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::ir {

// Where a block lies, as attributes and offsets.
struct BlockPlace {
  int batch = 0;
  i64 begin[8]{};  // of every axis; dynamic: an offset's
  List<Value> offsets;
  static constexpr i64 dynamic = -1;
};

// The last offset along an axis at which the block still lies inside.
constexpr i64 last_offset(const Dims& whole, const Dims& block, int axis) {
  return whole.extent[axis] - block.extent[axis];
}

// Axis `axis` of a block begins at `offset`; a constant inside becomes an attribute.
constexpr void set_offset(BlockPlace& place, const Dims& whole, const Dims& block, int axis, Value offset) {
  if (offset.is_constant()) {
    const i64 at = static_cast<i64>(offset.node().imm);
    if (at >= 0 && at <= last_offset(whole, block, axis)) {
      place.begin[axis] = at;
      return;
    }
  }
  place.begin[axis] = BlockPlace::dynamic;
  place.offsets.push(offset);
}

// How many tensors stand before the offsets.
constexpr int block_operands(Op op) { return op == Op::dynamic_slice ? 1 : 2; }
// The larger tensor of node i, and the block that is read or written.
constexpr const Dims& whole_dims(const Graph& g, int i) { return g.dims(g.in(i, 0)); }
constexpr const Dims& block_dims(const Graph& g, int i) {
  return g.nodes[i].op == Op::dynamic_slice ? g.dims(i) : g.dims(g.in(i, 1));
}

constexpr BlockPlace block_place(Value y) {
  const Graph& g = y.builder->graph;
  BlockPlace place;
  place.batch = static_cast<int>(g.attribute(y.id, 0));
  for (int k = 0; k + 1 < g.attributes(y.id); ++k) place.begin[k] = g.attribute(y.id, k + 1);
  for (int k = block_operands(y.op()); k < y.node().arity; ++k) place.offsets.push(y.in(k));
  return place;
}

namespace detail {
constexpr Value block_node(Op op, const Dims& result, Value x, Value y, BlockPlace place) {
  // operands of one trace, the innermost
  for (int round = 0; round < 2; ++round) {
    if (y) meet(x, y);
    for (Value& o : place.offsets) meet(x, o);
  }
  if (y) meet(x, y);
  Builder& b = *x.builder;
  List<int> operands(1, x.id);
  if (y) operands.push(y.id);
  for (const Value& o : place.offsets) operands.push(o.id);
  i64 list[9]{place.batch};
  for (int k = 0; k < result.rank; ++k) list[k + 1] = place.begin[k];
  Node node{op, x.dtype()};
  node.shape = b.shape(result);
  node.list = b.list(list, result.rank + 1);
  return {&b, b.add(node, operands.data(), operands.size())};
}
}  // namespace detail

// The block of x of extents `block`.
constexpr Value dynamic_slice(Value x, const Dims& block, const BlockPlace& place) {
  if (place.offsets.empty()) {
    Slices axes;
    for (int k = 0; k < block.rank; ++k) axes[k] = {place.begin[k], 1};
    return slice(x, axes, block);
  }
  if (x.is_constant())
    return {x.builder, x.builder->constant(x.dtype(), x.builder->shape(block), x.node().imm)};
  return detail::block_node(Op::dynamic_slice, block, x, {}, place);
}

// x with y in place of such a block.
constexpr Value dynamic_update_slice(Value x, Value y, const BlockPlace& place) {
  const Dims whole = x.dims();
  if (y.dims().size() == 0 || whole.size() == 0) return x;
  if (place.offsets.empty() && whole == y.dims()) return y;
  if (x.is_constant() && y.is_constant() && x.node().imm == y.node().imm) return x;
  return detail::block_node(Op::dynamic_update_slice, whole, x, y, place);
}

// What is wrong with node i, one of the two; null where nothing is.
constexpr const char* dynamic_slice_fault(const Graph& g, int i) {
  const Node& n = g.nodes[i];
  const int tensors = block_operands(n.op);
  if (n.arity < tensors || n.list < 0) return "a dynamic slice without operands or attributes";
  const Dims &whole = whole_dims(g, i), &block = block_dims(g, i), &to = g.dims(i);
  if (g.attributes(i) != whole.rank + 1 || block.rank != whole.rank)
    return "a dynamic slice: one begin an axis, and a block of as many axes";
  for (int k = 0; k < tensors; ++k)
    if (g.nodes[g.in(i, k)].dtype != n.dtype) return "a dynamic slice keeps the dtype";
  if (n.op == Op::dynamic_update_slice && whole != to) return "dynamic_update_slice keeps the shape";
  const i64 batch = g.attribute(i, 0);
  if (batch < 0 || batch > whole.rank) return "a dynamic slice: no such batch axes";
  int offsets = 0;
  for (int k = 0; k < whole.rank; ++k) {
    const i64 begin = g.attribute(i, k + 1), last = last_offset(whole, block, k);
    if (last < 0) return "a dynamic slice: the block is larger than the tensor";
    if (k < batch && (begin != 0 || last != 0)) return "a dynamic slice: a batch axis is whole";
    if (begin < BlockPlace::dynamic || begin > last) return "a dynamic slice: a begin lies outside";
    offsets += begin == BlockPlace::dynamic;
  }
  if (offsets != n.arity - tensors) return "a dynamic slice: one offset for each axis that has none";
  for (int k = tensors; k < n.arity; ++k) {
    const int offset = g.in(i, k);
    const DType t = g.nodes[offset].dtype;
    if (t != DType::i32 && t != DType::i64) return "a dynamic slice: an offset is no i32 or i64";
    if (t != g.nodes[g.in(i, tensors)].dtype) return "a dynamic slice: offsets of two dtypes";
    const Dims& d = g.dims(offset);
    bool fits = d.rank == batch;
    for (int a = 0; a < d.rank && fits; ++a) fits = d.extent[a] == whole.extent[a];
    if (!fits) return "a dynamic slice: an offset has not the extents of the batch axes";
  }
  return nullptr;
}

}  // namespace WEFT_NAMESPACE::ir
