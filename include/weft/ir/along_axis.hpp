#pragma once
// Primitives along one axis: scan, argsort, take_along_axis, scatter_reduce and searchsorted. Law: each line
// along the axis is worked on by itself, in the order of its elements, so results do not depend on how lines
// are shared out.

#include "weft/core/fold.hpp"
#include "weft/core/sort_memory.hpp"
#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::ir {

using weft::Fold;

// A tensor's extents seen from one axis.
struct AxisExtents {
  i64 outer = 1, extent = 1, inner = 1;
};
constexpr AxisExtents extents_along(const Dims& d, int axis) {
  AxisExtents r;
  for (int k = 0; k < d.rank; ++k) (k < axis ? r.outer : k == axis ? r.extent : r.inner) *= d.extent[k];
  return r;
}
constexpr Dims with_extent(Dims d, int axis, i64 extent) {
  d.extent[axis] = extent;
  return d;
}

// The axis along which node i works.
constexpr int axis_of(const Graph& g, int i) {
  return g.nodes[i].op == Op::searchsorted ? g.dims(i).rank - 1 : static_cast<int>(g.attribute(i, 0));
}

// Elements of a piece of a scan's lines: long lines are cut where there are too few of them to fill a GPU.
// Where neighbours in memory are of 32 lines or more, a thread has one to itself.
constexpr i64 scan_chunk(const AxisExtents& e) {
  constexpr i64 shortest = 2048, most_chunks = 512;
  const i64 enough = e.inner >= 32 ? 16384 : 256;
  if (e.outer * e.inner >= enough || e.extent < 2 * shortest) return e.extent;
  const i64 fair = (e.extent + most_chunks - 1) / most_chunks;
  return fair < shortest ? shortest : fair;
}

// Memory that sorts and scans take for node i beside its operand and result.
constexpr i64 scratch_bytes(const Graph& g, int i) {
  const Op op = g.nodes[i].op;
  if (op == Op::scan) {
    const AxisExtents e = extents_along(g.dims(i), axis_of(g, i));
    const i64 chunk = scan_chunk(e);
    return chunk < e.extent ? e.outer * e.inner * ((e.extent + chunk - 1) / chunk) * 8 : 0;
  }
  if (op != Op::argsort) return 0;
  const int x = g.in(i, 0);
  if (g.dims(x).extent[axis_of(g, i)] <= sort_tile_size) return 0;
  const i64 n = g.dims(x).size();
  return n * 2 * (size_of(g.nodes[x].dtype) == 8 ? 16 : 8) + radix_sort_bytes(n);
}

// y[i] = fold of x[0], ..., x[i] along the axis; reversed: of x[i], ..., x[last]. Small floats are summed in
// f32 and rounded where they are written.
constexpr Value scan(Value x, int axis, bool reversed, Fold fold) {
  const DType wide = reduction_dtype(x.dtype());
  if (wide != x.dtype()) return cast(scan(cast(x, wide), axis, reversed, fold), x.dtype());
  if (x.dims().extent[axis] == 1) return x;
  const i64 list[3]{axis, reversed, static_cast<i64>(fold)};
  return raw(Op::scan, x.dtype(), x.node().shape, 0, x.builder->list(list, 3), x);
}

// The places of the first `count` elements in sorted order, NaN being the greatest; equal elements keep their
// order.
constexpr Value argsort(Value x, int axis, bool descending, i64 count) {
  const DType wide = reduction_dtype(x.dtype());
  if (wide != x.dtype()) x = cast(x, wide);
  const i64 list[2]{axis, descending};
  const int shape = x.builder->shape(with_extent(x.dims(), axis, count));
  return raw(Op::argsort, DType::i64, shape, 0, x.builder->list(list, 2), x);
}

// x at `index` along the axis; index has the extents of x but for the axis, and of the result. Negative
// indices count from the end. One outside gives NaN (0 for integers), or 0 for all where `zero`.
constexpr Value take_along_axis(Value x, Value index, int axis, bool zero = false) {
  const i64 list[2]{axis, zero};
  return raw(Op::take_along_axis, x.dtype(), index.node().shape, 0, x.builder->list(list, 2), x, index);
}

// A tensor of the index's extents but for `extent` along the axis: at each place the updates meant for it,
// folded in their order; the fold's neutral element where there is none. Indices outside are skipped.
constexpr Value scatter_reduce(Value index, Value update, int axis, i64 extent, Fold fold) {
  const DType wide = reduction_dtype(update.dtype());
  if (wide != update.dtype())
    return cast(scatter_reduce(index, cast(update, wide), axis, extent, fold), update.dtype());
  const i64 list[2]{axis, static_cast<i64>(fold)};
  Builder& b = *update.builder;
  return raw(Op::scatter_reduce, update.dtype(), b.shape(with_extent(index.dims(), axis, extent)), 0,
             b.list(list, 2), index, update);
}

// How many elements of each ascending line of `sorted` (..., n) lie below x (..., m); `right`: not above it.
constexpr Value searchsorted(Value sorted, Value x, bool right) {
  const i64 list[1]{right};
  return raw(Op::searchsorted, DType::i64, x.node().shape, 0, x.builder->list(list, 1), sorted, x);
}

// What is wrong with node i, a primitive along one axis; null where nothing is.
constexpr const char* along_axis_fault(const Graph& g, int i) {
  const Node& n = g.nodes[i];
  const int a = g.in(i, 0), b = n.arity > 1 ? g.in(i, 1) : a;
  const DType ta = g.nodes[a].dtype, tb = g.nodes[b].dtype;
  const Dims &da = g.dims(a), &db = g.dims(b), &to = g.dims(i);
  constexpr int attributes[]{3, 2, 2, 2, 1};
  if (n.list < 0 || g.attributes(i) != attributes[static_cast<int>(n.op) - static_cast<int>(Op::scan)])
    return "a primitive along an axis: wrong number of attributes";
  const int axis = axis_of(g, i);
  if (axis < 0 || axis >= to.rank || da.rank != to.rank || db.rank != to.rank)
    return "a primitive along an axis: the axis is out of range or the ranks differ";
  const DType worked = n.op == Op::take_along_axis ? DType::f32 : n.op == Op::scatter_reduce ? tb : ta;
  if (worked != reduction_dtype(worked)) return "a primitive along an axis works in wide dtypes";
  switch (n.op) {
    case Op::scan:
      if (g.attribute(i, 2) < 0 || g.attribute(i, 2) > static_cast<i64>(Fold::logaddexp))
        return "scan: no such fold";
      return n.dtype == ta && da == to ? nullptr : "scan keeps dtype and shape";
    case Op::argsort:
      if (n.dtype != DType::i64 || to.extent[axis] > da.extent[axis]) return "argsort gives places in i64";
      return with_extent(da, axis, to.extent[axis]) == to ? nullptr : "argsort: wrong result shape";
    case Op::take_along_axis:
      if (!is_integer(tb)) return "an index is not an integer";
      if (n.dtype != ta) return "take_along_axis keeps the dtype";
      return db == to && with_extent(da, axis, to.extent[axis]) == to ? nullptr
                                                                      : "take_along_axis: wrong result shape";
    case Op::scatter_reduce:
      if (!is_integer(ta)) return "an index is not an integer";
      if (g.attribute(i, 1) < 0 || g.attribute(i, 1) > static_cast<i64>(Fold::prod))
        return "scatter_reduce: no such fold";
      if (n.dtype != tb || !(da == db)) return "scatter_reduce: an update of another dtype or shape";
      return with_extent(da, axis, to.extent[axis]) == to ? nullptr : "scatter_reduce: wrong result shape";
    default:
      if (ta != tb || n.dtype != DType::i64) return "searchsorted: operands of one dtype, places in i64";
      return db == to && with_extent(da, axis, to.extent[axis]) == to ? nullptr
                                                                      : "searchsorted: wrong result shape";
  }
}

}  // namespace WEFT_NAMESPACE::ir
