#pragma once
// A graph's nodes as nodes of another one. Law: what is inlined computes what the graph does, of the values
// that stand in the place of its inputs; random streams, state and scalars are the same ones.

#include "weft/ir/loop.hpp"

namespace WEFT_NAMESPACE::ir {

// Node i of `g` in b, of `operands` there.
constexpr int copy_node(Builder& b, const Graph& g, int i, const int* operands) {
  Node node = g.nodes.items[i];
  const Dims dims = g.dims(i);
  node.shape = b.shape(dims);
  if (node.list >= 0) {
    const Span span = g.lists.items[node.list];
    node.list = b.list(g.list_data.items + span.begin, span.size);
  }
  if (is_region(node.op)) node.imm = static_cast<u64>(add_body(b.graph, region_body(g, i)));
  return b.add(node, operands, node.arity);
}

// The outputs of `g` in b, and what they need; inputs[k]: the node there that stands for input k.
constexpr List<int> inline_graph(Builder& b, const Graph& g, const List<int>& inputs) {
  const int n = g.nodes.size();
  List<u8> live(n, 0);
  for (const int x : g.outputs) live[x] = 1;
  for (int i = n - 1; i >= 0; --i)
    if (live[i])
      for (int k = 0; k < g.nodes.items[i].arity; ++k) live[g.in(i, k)] = 1;
  List<int> moved(n, -1), operands, outputs;
  for (int i = 0; i < n; ++i) {
    if (!live[i]) continue;
    const Node& node = g.nodes.items[i];
    if (node.op == Op::input) {
      moved[i] = inputs[static_cast<int>(node.imm)];
      continue;
    }
    operands.clear();
    for (int k = 0; k < node.arity; ++k) operands.push(moved[g.in(i, k)]);
    moved[i] = copy_node(b, g, i, operands.data());
  }
  for (const int x : g.outputs) outputs.push(moved[x]);
  return outputs;
}

}  // namespace WEFT_NAMESPACE::ir
