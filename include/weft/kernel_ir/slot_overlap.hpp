#pragma once
// Which slots have bytes in common. Law: a flat view over a parameter group covers its ranges alone, not what
// lies between them.

#include "weft/ir/graph.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

constexpr i64 slot_bytes(const ir::Graph& g, const ir::Slot& s) {
  return g.shapes[s.shape].size() * size_of(s.dtype);
}

constexpr bool covers(const ir::Graph& g, const ir::Slot& segmented, const ir::Slot& plain) {
  const ir::Span span = g.param_groups[segmented.segments];
  const i64 size = size_of(segmented.dtype);
  for (int r = 0; r < span.size; ++r) {
    const ir::Range& range = g.ranges[span.begin + r];
    const i64 begin = segmented.offset + range.offset * size, end = begin + range.length * size;
    if (plain.offset < end && begin < plain.offset + slot_bytes(g, plain)) return true;
  }
  return false;
}

// Of one space.
constexpr bool overlap(const ir::Graph& g, const ir::Slot& a, const ir::Slot& b) {
  if (a.segments >= 0 && b.segments >= 0) return a.segments == b.segments && a.offset == b.offset;
  if (a.segments >= 0) return covers(g, a, b);
  if (b.segments >= 0) return covers(g, b, a);
  return a.offset < b.offset + slot_bytes(g, b) && b.offset < a.offset + slot_bytes(g, a);
}

}  // namespace WEFT_NAMESPACE::kernel_ir
