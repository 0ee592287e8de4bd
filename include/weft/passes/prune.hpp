#pragma once
// Drops what no output and no assignment needs, and markers that only differentiation reads; gives outputs
// that are leaves a node of their own, so that every result is computed into memory the program owns.

#include "weft/ir/value.hpp"

namespace weft::passes {

constexpr ir::Graph prune(const ir::Graph& g) {
  const int n = g.nodes.size();
  const ir::Node* const nodes = g.nodes.data();
  const int* const all_edges = g.edges.data();
  List<u8> live_list(n, 0);
  u8* const live = live_list.data();
  for (int node : g.outputs) live[node] = 1;
  for (const ir::Assign& a : g.assigns) live[a.node] = 1;
  int edges = 0;
  for (int i = n - 1; i >= 0; --i) {
    if (!live[i]) continue;
    const ir::Node& node = nodes[i];
    const int* in = all_edges + node.first;
    for (int k = 0; k < node.arity; ++k) live[in[k]] = 1;
    edges += node.arity;
  }
  ir::Graph r;
  r.shapes = g.shapes;
  r.lists = g.lists;
  r.list_data = g.list_data;
  r.slots = g.slots;
  r.groups = g.groups;
  r.ranges = g.ranges;
  r.model_bytes = g.model_bytes;
  r.optimizer_bytes = g.optimizer_bytes;
  r.scalar_count = g.scalar_count;
  r.presets = g.presets;
  r.streams = g.streams;
  r.edges.reserve(edges + g.outputs.size() + g.assigns.size());
  r.nodes.reserve(n + g.outputs.size() + g.assigns.size());
  List<int> moved_list(n, -1);
  int* const moved = moved_list.data();
  for (int i = 0; i < n; ++i) {
    if (!live[i]) continue;
    ir::Node node = nodes[i];
    const int* in = all_edges + node.first;
    const bool same = node.op == ir::Op::cast && nodes[in[0]].dtype == node.dtype;
    if (node.op == ir::Op::stop_gradient || same) {
      moved[i] = moved[in[0]];
      continue;
    }
    node.first = r.edges.size();
    for (int k = 0; k < node.arity; ++k) r.edges.push(moved[in[k]]);
    moved[i] = r.nodes.size();
    r.nodes.push(node);
  }
  const auto computed = [&](int node) {
    const ir::Op op = r.nodes[node].op;
    if (op != ir::Op::input && op != ir::Op::state && op != ir::Op::scalar && op != ir::Op::pack) return node;
    ir::Node same = r.nodes[node];
    same.op = ir::Op::bitcast;
    same.imm = 0;
    same.list = -1;
    same.first = r.edges.size();
    same.arity = 1;
    r.edges.push(node);
    r.nodes.push(same);
    return r.nodes.size() - 1;
  };
  for (int node : g.outputs) r.outputs.push(computed(moved[node]));
  for (const ir::Assign& a : g.assigns) r.assigns.push({a.slot, computed(moved[a.node])});
  for (int node : g.inputs) r.inputs.push(node < 0 ? -1 : moved[node]);
  return r;
}

}  // namespace weft::passes
