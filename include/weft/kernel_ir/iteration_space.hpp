#pragma once
// How shapes lie in one another: what decides whether a value may be computed, or a sum be taken, by a kernel
// that walks a given space.

#include "weft/ir/graph.hpp"
#include "weft/ir/shape_rule.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

// How a member's value relates to its group's space.
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
  } else if (last_in < first_out && !index) {
    r.level = Level::column_sum;
    r.split = first_out;
  } else {
    r.middle_axis = true;
  }
  return r;
}

// A cut between axes of extents with `from` axes as one of right-aligned extents with `to`; leading axes
// that are too many have extent 1.
constexpr int in_rank(int split, int from, int to) {
  const int at = split - from + to;
  return at > 0 ? at : 0;
}

}  // namespace WEFT_NAMESPACE::kernel_ir
