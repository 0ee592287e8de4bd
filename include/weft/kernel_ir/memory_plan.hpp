#pragma once
// Where everything that is in memory lies, and how each kernel is cut: what plan.hpp decides, and what the
// back end reads.

#include "weft/kernel_ir/tiling.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

struct Copy {
  u64 from = 0, to = 0;
  i64 bytes = 0;
  int before = 0;         // runs before this kernel
  bool of_group = false;  // a range of a parameter group, of which a rank may have a piece alone
};

constexpr bool in_workspace(u64 address) {
  return address != BufferAddress::none && BufferAddress::space(address) == ir::Space::workspace;
}

struct Plan {
  List<u64> where;       // of every node in memory
  List<Tiling> tilings;  // of every kernel
  List<Copy> copies;
  List<int> combines;  // before which kernels the sums that are still in parts are put together, ascending
  List<u64> outputs;
  i64 workspace_bytes = 0;

  // Where a view of elements of dtype `t` begins.
  constexpr u64 address(const View& v, DType t) const {
    return where[v.root] + static_cast<u64>(v.offset * size_of(t));
  }
  constexpr bool in_workspace(int node) const { return kernel_ir::in_workspace(where[node]); }
  constexpr i64 offset(int node) const { return BufferAddress::offset(where[node]); }
};

// What lies at `from` at the end of the step goes to its slot: in one, or range by range of a parameter
// group.
constexpr void copy_to_slot(Plan& p, const ir::Graph& g, const ir::Assign& a, u64 from, int before) {
  const ir::Slot& slot = g.slots[a.slot];
  const u64 to = BufferAddress::make(slot.space, slot.offset);
  if (from == to || bytes_of(g, a.node) == 0) return;
  if (slot.segments < 0) {
    p.copies.push({from, to, bytes_of(g, a.node), before});
    return;
  }
  const ir::Span span = g.param_groups[slot.segments];
  for (int r = 0; r < span.size; ++r) {
    const ir::Range& range = g.ranges[span.begin + r];
    const u64 at = static_cast<u64>(range.offset * size_of(slot.dtype));
    p.copies.push({from + at, to + at, range.length * size_of(slot.dtype), before, true});
  }
}

// Where the workspace has the gradients, packed, whose memory is theirs for the whole step: from the first
// vector's begin to the last one's end, in bytes.
struct GradientArena {
  i64 begin = 0, end = 0;

  constexpr i64 bytes() const { return end - begin; }
  constexpr bool holds(i64 offset) const { return offset >= begin && offset < end; }
};
constexpr GradientArena gradient_arena(const ir::Graph& g, const Plan& plan) {
  GradientArena arena;
  for (int x = 0; x < g.nodes.size(); ++x) {
    const ir::Node& node = g.nodes.items[x];
    if (node.op != ir::Op::flat_concat || !plan.in_workspace(x)) continue;
    const int last = node.arity - 1;
    const i64 begin = plan.offset(x);
    const i64 end = begin + g.attribute(x, last) * size_of(node.dtype) + bytes_of(g, g.in(x, last));
    if (arena.begin == arena.end || begin < arena.begin) arena.begin = begin;
    if (arena.end < end) arena.end = end;
  }
  return arena;
}

// Of a loop's body: the input in whose memory an output may be computed, -1: none.
struct HeldOutput {
  int input = -1;
  bool carry = false;  // which has other memory at no cost
};

}  // namespace WEFT_NAMESPACE::kernel_ir
