#pragma once
// What works along one axis or by index and computes: scans, sorting, searching, scatters. Law: the folds,
// the keys and the order are those of Cpu's kernels, so that the bits are too.

#include "weft/ir/along_axis.hpp"
#include "weft/kernels/axis/scan.hpp"
#include "weft/kernels/axis/sort.hpp"
#include "weft/kernels/simd/convert.hpp"
#include "weft/targets/interpreter/node_call.hpp"

namespace WEFT_NAMESPACE::exec {

// Calls f(o, k) for every line; at(o, i, k) of a line of `extent` elements is (o * extent + i) * inner + k.
template <class F>
void each_line(const ir::AxisExtents& lines, const F& f) {
  for (i64 o = 0; o < lines.outer; ++o)
    for (i64 k = 0; k < lines.inner; ++k) f(o, k);
}

template <DType t, Fold fold>
void run_scan(const NodeCall& c) {
  using T = ctype<t>;
  using S = kernels::fold_state<T, fold>;
  const ir::AxisExtents lines = ir::extents_along(c.dims(), ir::axis_of(c.graph, c.node));
  const bool reversed = c.graph.attribute(c.node, 1) != 0;
  each_line(lines, [&](i64 o, i64 k) {
    S state = kernels::fold_neutral<fold, S>();
    for (i64 n = 0; n < lines.extent; ++n) {
      const i64 at = (o * lines.extent + (reversed ? lines.extent - 1 - n : n)) * lines.inner + k;
      state = kernels::fold<fold>(state, static_cast<S>(c.operand<T>(0)[at]));
      c.result<T>()[at] = static_cast<T>(state);
    }
  });
}

template <DType t>
void run_argsort(const NodeCall& c) {
  using T = ctype<t>;
  using Item = kernels::sort_item<T>;
  const int axis = ir::axis_of(c.graph, c.node);
  const ir::AxisExtents lines = ir::extents_along(c.operand_dims(0), axis);
  const bool descending = c.graph.attribute(c.node, 1) != 0;
  const i64 count = c.dims().extent[axis];
  List<Item> items(static_cast<int>(lines.extent)), spare(static_cast<int>(lines.extent));
  each_line(lines, [&](i64 o, i64 k) {
    for (i64 i = 0; i < lines.extent; ++i)
      items[static_cast<int>(i)] =
          kernels::make_sort_item(c.operand<T>(0)[(o * lines.extent + i) * lines.inner + k], i, descending);
    kernels::detail::merge_sort(items.data(), spare.data(), lines.extent);
    for (i64 i = 0; i < count; ++i)
      c.result<i64>()[(o * count + i) * lines.inner + k] = items[static_cast<int>(i)].place();
  });
}

template <DType t>
void run_search(const NodeCall& c) {
  using T = ctype<t>;
  const bool right = c.graph.attribute(c.node, 0) != 0;
  const int axis = ir::axis_of(c.graph, c.node);
  const i64 extent = c.operand_dims(0).extent[axis], count = c.dims().extent[axis];
  const i64 size = c.dims().size();
  for (i64 i = 0; i < size; ++i) {
    const T* const line = c.operand<T>(0) + i / count * extent;
    const T x = c.operand<T>(1)[i];
    i64 low = 0, high = extent;
    while (low < high) {
      const i64 middle = (low + high) / 2;
      const bool before = right ? !(line[middle] > x) : !(line[middle] >= x);
      (before ? low : high) = before ? middle + 1 : middle;
    }
    c.result<i64>()[i] = low;
  }
}

// An index from the front; -1: outside.
inline i64 place_along(i64 index, i64 extent) {
  const i64 at = index < 0 ? index + extent : index;
  return at >= 0 && at < extent ? at : -1;
}

template <DType t, Fold fold>
void run_scatter_reduce(const NodeCall& c) {
  using T = ctype<t>;
  const int axis = ir::axis_of(c.graph, c.node);
  const ir::AxisExtents lines = ir::extents_along(c.dims(), axis);
  const i64 count = c.operand_dims(0).extent[axis], size = c.dims().size();
  for (i64 i = 0; i < size; ++i) c.result<T>()[i] = kernels::fold_neutral<fold, T>();
  each_line(lines, [&](i64 o, i64 k) {
    for (i64 j = 0; j < count; ++j) {
      const i64 from = (o * count + j) * lines.inner + k;
      const i64 at = place_along(read_integer(c.operand_dtype(0), c.in[0], from), lines.extent);
      if (at < 0) continue;
      T& to = c.result<T>()[(o * lines.extent + at) * lines.inner + k];
      to = kernels::fold<fold>(to, c.operand<T>(1)[from]);
    }
  });
}

template <DType t>
void run_scatter_add(const NodeCall& c) {
  using T = ctype<t>;
  using R = kernels::register_of<T>;
  const i64 rows = c.dims().extent[0], size = c.dims().size(), count = c.operand_dims(0).size();
  const i64 width = rows > 0 ? size / rows : 0;
  for (i64 i = 0; i < size; ++i) c.result<T>()[i] = T(0);
  for (i64 i = 0; i < count; ++i) {
    const i64 row = read_integer(c.operand_dtype(0), c.in[0], i);
    if (row < 0 || row >= rows) continue;
    for (i64 j = 0; j < width; ++j) {
      T& to = c.result<T>()[row * width + j];
      to = kernels::narrow<T>(
          static_cast<R>(kernels::widen(to) + kernels::widen(c.operand<T>(1)[i * width + j])));
    }
  }
}

}  // namespace WEFT_NAMESPACE::exec
