#pragma once
// What activation checkpointing keeps of a block beside what enters it.

#include "weft/ir/graph.hpp"

namespace WEFT_NAMESPACE::transforms {

// Whether the policy keeps the value of a node.
using Keeps = bool (*)(const ir::Graph& graph, int node);

// Of the first `count` nodes of a graph, a forward pass: the values that are kept. Where nothing but a sum
// reads a product, the sum is kept in its place: both are one kernel's result. A region, such as an attention
// or a loop, has no value of its own: its results are kept.
constexpr List<u8> kept_values(const ir::Graph& g, int count, Keeps keeps) {
  List<int> reader(count, -1);
  List<u8> readers(count, 0);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < g.nodes.items[i].arity; ++k) {
      const int x = g.in(i, k);
      reader[x] = i;
      if (readers[x] < 2) ++readers[x];
    }
  List<u8> kept(count, 0);
  for (int i = 0; i < count; ++i) {
    if (g.nodes.items[i].arity == 0) continue;
    const bool result = g.nodes.items[i].op == ir::Op::result;
    if (!keeps(g, i) && !(result && keeps(g, g.in(i, 0)))) continue;
    if (ir::is_region(g.nodes.items[i].op)) continue;
    int at = i;
    while (readers[at] == 1 && g.nodes.items[reader[at]].op == ir::Op::add &&
           g.nodes.items[reader[at]].shape == g.nodes.items[i].shape &&
           ir::info(g.nodes.items[i].op).kind == ir::OpClass::dot)
      at = reader[at];
    kept[at] = 1;
  }
  return kept;
}

}  // namespace WEFT_NAMESPACE::transforms
