#pragma once
// Drops what no output and no assignment needs, and markers that only differentiation reads; gives outputs
// that are leaves a node of their own, so that every result is computed into memory the program owns. Two
// computations that differ in the variables of grad alone become one, a bias is added to a matrix product
// after what else is (epilogue.hpp), what would be copied in another order is computed in it
// (hoist_permutes.hpp), a search across rows becomes two walks along them (argmax_across.hpp), and a product
// without rows and columns a sum (thin_dots.hpp).

#include "weft/kernel_ir/epilogue.hpp"
#include "weft/transforms/argmax_across.hpp"
#include "weft/transforms/hoist_permutes.hpp"
#include "weft/transforms/simplify_loops.hpp"
#include "weft/transforms/thin_dots.hpp"

namespace WEFT_NAMESPACE::transforms {

// What outputs and assignments need of a graph, and how often each node is read for that.
struct LiveNodes {
  List<u8> live;
  List<int> uses;
  int edges = 0;
  bool variables = false;  // of grad: casts to the dtype they come from

  constexpr explicit LiveNodes(const ir::Graph& g) : live(g.nodes.size(), 0), uses(g.nodes.size(), 0) {
    const ir::Node* const nodes = g.nodes.data();
    const int* const all_edges = g.edges.data();
    u8* const is_live = live.data();
    int* const count = uses.data();
    for (int node : g.outputs) is_live[node] = 1, ++count[node];
    for (const ir::Assign& a : g.assigns) is_live[a.node] = 1, ++count[a.node];
    for (int i = g.nodes.size() - 1; i >= 0; --i) {
      if (!is_live[i]) continue;
      const ir::Node& node = nodes[i];
      const int* in = all_edges + node.first;
      // of a marker only the value is computed
      const bool marks = ir::info(node.op).kind == ir::OpClass::marker;
      for (int k = 0; k < (marks ? 1 : node.arity); ++k) is_live[in[k]] = 1, ++count[in[k]];
      edges += node.arity;
      if (node.op == ir::Op::cast && nodes[in[0]].dtype == node.dtype) variables = true;
    }
  }
};

// The graph with each bias added where prune would add it, once and for all: what is copied from it later, to
// be computed again, is computed in the same order. Nothing else changes.
constexpr ir::Graph place_biases(const ir::Graph& g) {
  const LiveNodes found(g);
  const int n = g.nodes.size();
  ir::Builder b(g, n);
  b.graph.bodies = g.bodies;
  b.graph.body_words = g.body_words;
  List<int> moved(n, -1), operands;
  for (int i = 0; i < n; ++i) {
    const ir::Node& node = g.nodes.items[i];
    operands.clear();
    for (int k = 0; k < node.arity; ++k) operands.push(moved[g.in(i, k)]);
    if (node.op == ir::Op::add && found.live[i])
      if (const kernel_ir::DeferredBias late =
              kernel_ir::deferred_bias(g.nodes.data(), g.edges.data(), i, found.uses.data());
          late.inner >= 0) {
        const int inner[2]{moved[late.dot], moved[late.x]};
        operands[0] = b.add(node, inner, 2);
        operands[1] = moved[late.bias];
      }
    moved[i] = b.add(node, operands.data(), operands.size());
  }
  for (int node : g.inputs) b.graph.inputs.push(node < 0 ? -1 : moved[node]);
  for (int node : g.outputs) b.graph.outputs.push(moved[node]);
  for (const ir::Assign& a : g.assigns) b.graph.assigns.push({a.slot, moved[a.node]});
  b.graph.biases_placed = true;
  return static_cast<ir::Graph&&>(b.graph);
}

constexpr ir::Graph drop_unused(const ir::Graph& g);

// `where`: the new node of each that is left, -1 of the others. Bodies of attentions are treated alike.
constexpr ir::Graph drop_unused(const ir::Graph& g, List<int>& where) {
  const int n = g.nodes.size();
  const ir::Node* const nodes = g.nodes.data();
  const int* const all_edges = g.edges.data();
  LiveNodes found(g);
  u8* const live = found.live.data();
  const int* const uses = found.uses.data();
  const bool variables = found.variables;
  List<kernel_ir::DeferredBias> late;
  List<int> late_at;  // of the sum that such a pair ends in, -1 otherwise
  for (int i = 0; i < n && !g.biases_placed; ++i) {
    if (nodes[i].op != ir::Op::add || !live[i]) continue;
    const kernel_ir::DeferredBias sum = kernel_ir::deferred_bias(nodes, all_edges, i, uses);
    if (sum.inner < 0) continue;
    if (late_at.empty()) late_at = List<int>(n, -1);
    live[sum.inner] = 0;
    late_at[i] = late.size();
    late.push(sum);
  }
  const PermuteHoisting hoisting(g, found.uses, found.live);
  ir::Builder b(g, variables ? n : 0);
  ir::Graph& r = b.graph;
  List<int> body(g.bodies.size(), -1);  // the new number of each that is still used
  const auto moved_body = [&](const ir::Node& node) {
    int& to = body[static_cast<int>(node.imm)];
    if (to >= 0) return static_cast<u64>(to);
    if (ir::is_attention(node.op)) {
      to = ir::add_body(r, drop_unused(ir::thaw_body(g, node)));
    } else {
      const ir::Span from = g.bodies[static_cast<int>(node.imm)];
      to = r.bodies.size();
      r.bodies.push({r.body_words.size(), from.size});
      r.body_words.append(g.body_words.data() + from.begin, from.size);
    }
    return static_cast<u64>(to);
  };
  r.edges.reserve(found.edges + g.outputs.size() + g.assigns.size());
  r.nodes.reserve(n + g.outputs.size() + g.assigns.size());
  where = List<int>(n, -1);
  int* const moved = where.data();
  // Equal nodes can only be there with variables: without, no time is spent looking for them.
  const auto add = [&](ir::Node node, const int* in, int arity) {
    if (variables) return b.add(node, in, arity);
    node.first = r.edges.size();
    r.edges.append(in, arity);
    r.nodes.push(node);
    return r.nodes.size() - 1;
  };
  List<int> operands;
  bool rewritten = false;  // in ways that may leave something unused
  for (int i = 0; i < n; ++i) {
    if (!live[i]) continue;
    ir::Node node = nodes[i];
    const int* in = all_edges + node.first;
    const bool same = node.op == ir::Op::cast && nodes[in[0]].dtype == node.dtype;
    if (node.op == ir::Op::stop_gradient || ir::info(node.op).kind == ir::OpClass::marker || same) {
      moved[i] = moved[in[0]];
      continue;
    }
    if (hoisting.hoists(i)) {
      moved[i] = hoisting.hoisted(b, moved, i);
      continue;
    }
    if (searches_across(g, i)) {
      const int axis = static_cast<int>(g.attribute(i, 0));
      moved[i] = search_across({&b, moved[in[0]]}, axis, node.op == ir::Op::argmax).id;
      rewritten = true;
      continue;
    }
    if (is_thin_dot(g, i)) {
      moved[i] = thin_dot(g, i, {&b, moved[in[0]]}, {&b, moved[in[1]]}).id;
      rewritten = true;
      continue;
    }
    if (!late.empty() && late_at[i] >= 0) {
      const kernel_ir::DeferredBias& sum = late[late_at[i]];
      const int inner[2]{moved[sum.dot], moved[sum.x]};
      const int outer[2]{add(node, inner, 2), moved[sum.bias]};
      moved[i] = add(node, outer, 2);
      continue;
    }
    operands.clear();
    for (int k = 0; k < node.arity; ++k) operands.push(moved[in[k]]);
    if (ir::is_region(node.op)) node.imm = moved_body(node);
    moved[i] = add(node, operands.data(), node.arity);
  }
  const auto computed = [&](int node) {
    const ir::Op op = r.nodes[node].op;
    if (op != ir::Op::input && op != ir::Op::state && op != ir::Op::scalar && op != ir::Op::flat_concat)
      return node;
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
  if (rewritten) {
    List<int> again;
    ir::Graph used = drop_unused(r, again);
    for (int& to : where)
      if (to >= 0) to = again[to];
    return used;
  }
  return static_cast<ir::Graph&&>(r);
}
constexpr ir::Graph drop_unused(const ir::Graph& g) {
  List<int> where;
  return drop_unused(g, where);
}

// Whether some node is a variable of grad, behind which the same may be computed twice.
constexpr bool has_variables(const ir::Graph& g) {
  for (const ir::Node& n : g.nodes)
    if (n.op == ir::Op::cast && g.nodes.items[g.edges.items[n.first]].dtype == n.dtype) return true;
  return false;
}

// What differs in the variables of grad alone, as one.
constexpr ir::Graph merge_variables(ir::Graph g) {
  if (has_variables(g)) return drop_unused(g);
  return g;
}

constexpr ir::Graph prune(const ir::Graph& g) {
  if (!ir::has_loops(g)) return drop_unused(g);
  if (has_variables(g)) {  // two loops that become one are simplified as one: to all results that either has
    const ir::Graph merged = drop_unused(g);
    const ir::Graph reduced = simplify_loops(merged);
    return drop_unused(reduced);
  }
  const ir::Graph reduced = simplify_loops(g);
  return drop_unused(reduced);
}

}  // namespace WEFT_NAMESPACE::transforms
