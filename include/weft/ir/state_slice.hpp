#pragma once
// Parameters that are cast as one vector (transforms/lowered_weights.hpp), told apart again.

#include "weft/ir/graph.hpp"

namespace WEFT_NAMESPACE::ir {

// Where a slice of state that was cast as one vector lies in its block, in bytes: of the slice of a cast of
// several parameters. `state`: the node that reads them; -1, and no offset, where `node` is no such slice.
struct StateSlice {
  int state = -1;
  i64 offset = 0;
};
constexpr StateSlice state_slice(const Graph& g, int node) {
  const Node& n = g.nodes.items[node];
  if (n.op != Op::flat_slice) return {};
  int x = g.in(node, 0);
  while (g.nodes.items[x].op == Op::cast) x = g.in(x, 0);
  if (g.nodes.items[x].op != Op::state) return {};
  const Slot& slot = g.slots.items[static_cast<int>(g.nodes.items[x].imm)];
  return {x, slot.offset + static_cast<i64>(n.imm) * size_of(slot.dtype)};
}

}  // namespace WEFT_NAMESPACE::ir
