#pragma once
// How shapes lie in one another: what decides whether a value may be computed, or a sum be taken, by a kernel
// that walks a given space.

#include "weft/ir/graph.hpp"
#include "weft/ir/shape_rule.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

// How a member's value relates to its kernel's space.
enum class Level : u8 { element, row, column_sum, total };

// How extents `d`, right-aligned, lie in `space`.
struct SpaceFit {
  bool inside = true;   // every extent is the space's or 1
  bool outside = true;  // every extent of the space is d's or 1
  bool full = true;     // inside and nothing is reduced
  bool suffix = true;   // what is reduced are all columns from `split` on
  int split = 0;        // in axes of the larger of the two
};
constexpr SpaceFit fit_in(const Dims& space, const Dims& d) {
  SpaceFit r;
  const int rank = space.rank > d.rank ? space.rank : d.rank;
  bool reducing = false;
  for (int k = 0; k < rank; ++k) {
    const int si = k - (rank - space.rank), di = k - (rank - d.rank);
    const i64 s = si >= 0 ? space.extent[si] : 1, e = di >= 0 ? d.extent[di] : 1;
    if (s == e) {
      if (e != 1 && reducing) r.suffix = false;
      continue;
    }
    r.full = false;
    if (e == 1) {
      r.outside = false;
      if (!reducing) reducing = true, r.split = k;
    } else if (s == 1) {
      r.inside = false;
      if (!reducing) reducing = true, r.split = k;
    } else {
      r.inside = r.outside = false;
    }
  }
  return r;
}

struct Reduction {
  Level level = Level::element;
  int split = -1;
  int batch = 0;  // of a sum along the rows: axes [0, batch) stay, each place of them has a sum of its own
  bool middle_axis = false;
};
// Which kind a reduction is, seen from its operand's extents.
constexpr Reduction reduction_of(const ir::Graph& g, int i) {
  const ir::Node& node = g.nodes.items[i];
  const Dims& d = g.shapes.items[g.nodes.items[g.edges.items[node.first]].shape];
  ir::Axes axes = 0;
  for (int k = 0; k < g.attributes(i); ++k) axes |= 1u << g.attribute(i, k);
  Reduction r;
  int first_in = -1, first_out = -1, last_in = -1, last_out = -1;
  for (int k = 0; k < d.rank; ++k) {
    if (d.extent[k] == 1) continue;
    if (axes >> k & 1u) {
      if (first_in < 0) first_in = k;
      last_in = k;
    } else {
      if (first_out < 0) first_out = k;
      last_out = k;
    }
  }
  const bool index = node.op == ir::Op::argmax || node.op == ir::Op::argmin;
  if (first_out < 0) {
    r.level = index ? Level::row : Level::total;
    r.split = index ? 0 : -1;
  } else if (last_out < first_in) {
    r.level = Level::row;
    r.split = first_in;
  } else if (index) {
    r.middle_axis = true;
  } else if (last_in < first_out) {
    r.level = Level::column_sum;
    r.split = first_out;
  } else {
    for (int k = first_in; k < last_in; ++k)
      r.middle_axis = r.middle_axis || (d.extent[k] != 1 && !(axes >> k & 1u));
    if (r.middle_axis) return r;
    r.level = Level::column_sum;
    r.batch = first_in;
    r.split = last_in + 1;
    while (d.extent[r.split] == 1) ++r.split;
  }
  return r;
}

// Elements of the axes from `axis` on.
constexpr i64 size_from(const Dims& d, int axis) {
  i64 size = 1;
  for (int a = axis; a < d.rank; ++a) size *= d.extent[a];
  return size;
}

// Elements that one unit of work walks where it sums, and those of a tile of a flat walk.
inline constexpr i64 chunk_elements = 16384, flat_tile = 4096;
// The most numbers that the host adds one after another into a lane, and into a column, without what rounding
// loses of them.
inline constexpr i64 longest_lane_sum = 64, longest_column_sum = 256;
// Rows of a chunk of `rows` rows of `cols` elements each, where chunks leave partial sums: few chunks, but
// none that is worth a thread and adds up more rows than that.
constexpr i64 rows_of_chunk(i64 rows, i64 cols, i64 most_chunks) {
  const i64 least = cols > 0 && cols < chunk_elements ? chunk_elements / cols : 1;
  const i64 fair = (rows + most_chunks - 1) / most_chunks;
  const i64 most = least > longest_column_sum ? least : longest_column_sum;
  return fair < least ? least : fair < most ? fair : most;
}
inline constexpr i64 column_sum_chunks = 16, total_chunks = 64;
// The same of `batches` times as many rows, each batch with sums of its own: a few batches are cut where that
// leaves parts of many rows, as what a part has found is written and read once more.
constexpr i64 rows_of_batch_chunk(i64 rows, i64 cols, i64 batches) {
  constexpr i64 least_rows = 32, most_chunks = 32;
  const i64 chunk = rows_of_chunk(rows, cols, batches < most_chunks ? most_chunks / batches : 1);
  const i64 least = chunk < least_rows ? least_rows : chunk;
  return least < rows ? least : rows;
}
// The row of a total over d: the last axis, where a walk cut there can have the total's chunks. Else 0, and
// the chunks are whole tiles of the flat walk.
constexpr i64 row_of_total(const Dims& d) {
  int last = d.rank - 1;
  while (last > 0 && d.extent[last] == 1) --last;
  const i64 cols = last > 0 ? d.extent[last] : 0;
  return cols <= flat_tile && cols < d.size() ? cols : 0;
}
// Elements of one chunk of a total over d.
constexpr i64 chunk_of_total(const Dims& d) {
  const i64 size = d.size(), row = row_of_total(d);
  if (row > 0) return row * rows_of_chunk(size / row, row, column_sum_chunks);
  return flat_tile * rows_of_chunk((size + flat_tile - 1) / flat_tile, flat_tile, total_chunks);
}

// A cut between axes of extents with `from` axes as one of right-aligned extents with `to`; leading axes
// that are too many have extent 1.
constexpr int in_rank(int split, int from, int to) {
  const int at = split - from + to;
  return at > 0 ? at : 0;
}

}  // namespace WEFT_NAMESPACE::kernel_ir
