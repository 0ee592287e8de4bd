#pragma once
// Reverse-mode differentiation: appends to the graph the gradient of one scalar-seeded value with respect to
// chosen nodes. Only nodes on a path from those to the value are visited; time is linear in them.

#include "weft/passes/gradient_rules.hpp"

namespace weft::passes {

// A differentiation that has come down to node `next`: what remains is a function of these and the graph, so
// that it can go on in another constant evaluation.
struct Differentiation {
  List<int> adjoint;  // the gradient's node of each node, no_gradient where none is asked for, -1: none yet
  int next = -1;
  static constexpr int no_gradient = -2;
};

// Of sum(y * seed) with respect to `wrt`.
constexpr Differentiation begin_differentiation(Value y, Value seed, const List<int>& wrt) {
  const ir::Graph& g = y.builder->graph;
  const int count = y.id + 1;
  Differentiation d;
  d.next = count - 1;
  d.adjoint = List<int>(count, Differentiation::no_gradient);
  int* const adjoint = d.adjoint.data();
  for (int node : wrt)
    if (node < count) adjoint[node] = -1;
  const ir::Node* const nodes = g.nodes.data();
  const int* const edges = g.edges.data();
  for (int i = 0; i < count; ++i) {
    const ir::Node& node = nodes[i];
    if (adjoint[i] == -1 || node.arity == 0 || !is_float(node.dtype) || !has_gradient_rule(node.op)) continue;
    const int* const in = edges + node.first;
    for (int k = 0; k < node.arity; ++k)
      if (adjoint[in[k]] == -1) adjoint[i] = -1;
  }
  if (adjoint[y.id] == -1) adjoint[y.id] = seed.id;
  return d;
}

// Visits at most `nodes` more nodes of the graph.
constexpr void differentiate_on(ir::Builder& b, Differentiation& d, int nodes) {
  int* const adjoint = d.adjoint.data();
  const int last = d.next >= nodes ? d.next - nodes : -1;
  for (int i = d.next; i > last; --i) {
    if (adjoint[i] < 0) continue;
    const ir::Op op = b.graph.nodes.items[i].op;
    if (!has_gradient_rule(op)) continue;
    const GradientRule rule = gradient_rule(op);
    Value out[3];
    rule({&b, i}, {&b, adjoint[i]}, out);
    const int first = b.graph.nodes.items[i].first, arity = b.graph.nodes.items[i].arity;
    for (int k = 0; k < arity && k < 3; ++k) {
      const int operand = b.graph.edges.items[first + k], before = adjoint[operand];
      if (!out[k] || before == Differentiation::no_gradient) continue;
      adjoint[operand] = before < 0 ? out[k].id : (Value{&b, before} + out[k]).id;
    }
  }
  d.next = last;
}

// The gradients of sum(y * seed) with respect to `wrt`; an empty Value where no gradient reaches.
constexpr List<Value> differentiate(Value y, Value seed, const List<int>& wrt) {
  Differentiation d = begin_differentiation(y, seed, wrt);
  differentiate_on(*y.builder, d, d.next + 1);
  List<Value> gradients;
  for (int node : wrt)
    gradients.push(node < d.adjoint.size() && d.adjoint[node] >= 0 ? Value{y.builder, d.adjoint[node]}
                                                                   : Value{});
  return gradients;
}

}  // namespace weft::passes
