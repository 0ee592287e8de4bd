#pragma once
// Drops what no output and no assignment needs, and markers that only differentiation reads; gives outputs
// that are leaves a node of their own, so that every result is computed into memory the program owns. Two
// computations that differ in the variables of grad alone become one, and a bias is added to a matrix product
// after what else is (epilogue.hpp).

#include "weft/passes/epilogue.hpp"

namespace weft::passes {

// Equal nodes of a graph under construction, found by hash.
class Shared {
 public:
  constexpr explicit Shared(int nodes) {
    int size = 64;
    while (size < 2 * nodes) size *= 2;
    table_ = List<int>(size, -1);
  }
  // The last node of r, or the earlier one that equals it: the last then goes.
  constexpr int last(ir::Graph& r) {
    const ir::Node* nodes = r.nodes.data();
    const int* edges = r.edges.data();
    const int last = r.nodes.size() - 1;
    const ir::Node& node = nodes[last];
    u64 h = static_cast<u64>(node.op) | static_cast<u64>(node.dtype) << 8 |
            static_cast<u64>(node.recompute) << 16 | static_cast<u64>(node.shape) << 32;
    h = (h ^ node.imm ^ static_cast<u64>(node.list + 1) << 40) * 0x9e3779b97f4a7c15ull;
    for (int k = 0; k < node.arity; ++k)
      h = (h ^ (h >> 29) ^ static_cast<u64>(edges[node.first + k])) * 0x9e3779b97f4a7c15ull;
    const int mask = table_.size() - 1;
    int at = static_cast<int>(h >> 33) & mask;
    int* table = table_.data();
    for (; table[at] >= 0; at = (at + 1) & mask) {
      const ir::Node& other = nodes[table[at]];
      bool same = other.op == node.op && other.dtype == node.dtype && other.recompute == node.recompute &&
                  other.shape == node.shape && other.list == node.list && other.imm == node.imm &&
                  other.arity == node.arity;
      for (int k = 0; same && k < node.arity; ++k) same = edges[other.first + k] == edges[node.first + k];
      if (!same) continue;
      for (int k = 0; k < node.arity; ++k) r.edges.pop();
      r.nodes.pop();
      return table[at];
    }
    table[at] = last;
    return last;
  }

 private:
  List<int> table_;
};

constexpr ir::Graph prune(const ir::Graph& g) {
  const int n = g.nodes.size();
  const ir::Node* const nodes = g.nodes.data();
  const int* const all_edges = g.edges.data();
  List<u8> live_list(n, 0);
  List<int> use_list(n, 0);
  u8* const live = live_list.data();
  int* const uses = use_list.data();
  for (int node : g.outputs) live[node] = 1, ++uses[node];
  for (const ir::Assign& a : g.assigns) live[a.node] = 1, ++uses[a.node];
  int edges = 0;
  bool variables = false;  // of grad: casts to the dtype they come from
  for (int i = n - 1; i >= 0; --i) {
    if (!live[i]) continue;
    const ir::Node& node = nodes[i];
    const int* in = all_edges + node.first;
    // of a surrogate only the value is computed
    for (int k = 0; k < (node.op == ir::Op::surrogate ? 1 : node.arity); ++k) live[in[k]] = 1, ++uses[in[k]];
    edges += node.arity;
    if (node.op == ir::Op::cast && nodes[in[0]].dtype == node.dtype) variables = true;
  }
  List<LateBias> late;
  List<int> late_at;  // of the sum that such a pair ends in, -1 otherwise
  for (int i = 0; i < n; ++i) {
    if (nodes[i].op != ir::Op::add || !live[i]) continue;
    const LateBias found = late_bias(nodes, all_edges, i, uses);
    if (found.inner < 0) continue;
    if (late_at.empty()) late_at = List<int>(n, -1);
    live[found.inner] = 0;
    late_at[i] = late.size();
    late.push(found);
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
  Shared shared(variables ? n : 0);
  const auto add = [&](ir::Node node, int x, int y) {
    node.first = r.edges.size();
    r.edges.push(x);
    r.edges.push(y);
    r.nodes.push(node);
    return variables ? shared.last(r) : r.nodes.size() - 1;
  };
  for (int i = 0; i < n; ++i) {
    if (!live[i]) continue;
    ir::Node node = nodes[i];
    const int* in = all_edges + node.first;
    const bool same = node.op == ir::Op::cast && nodes[in[0]].dtype == node.dtype;
    if (node.op == ir::Op::stop_gradient || node.op == ir::Op::surrogate || same) {
      moved[i] = moved[in[0]];
      continue;
    }
    if (!late.empty() && late_at[i] >= 0) {
      const LateBias& sum = late[late_at[i]];
      const int first = add(node, moved[sum.dot], moved[sum.x]);
      moved[i] = add(node, first, moved[sum.bias]);
      continue;
    }
    node.first = r.edges.size();
    for (int k = 0; k < node.arity; ++k) r.edges.push(moved[in[k]]);
    moved[i] = r.nodes.size();
    r.nodes.push(node);
    if (variables) moved[i] = shared.last(r);
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
