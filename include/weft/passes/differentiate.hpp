#pragma once
// Reverse-mode differentiation: appends to the graph the gradient of one scalar-seeded value with respect to
// chosen nodes. Only nodes on a path from those to the value are visited; time is linear in them.

#include "weft/passes/gradient_rules.hpp"

namespace weft::passes {

// The gradients of sum(y * seed) with respect to `wrt`; an empty Value where no gradient reaches.
constexpr List<Value> differentiate(Value y, Value seed, const List<int>& wrt) {
  ir::Builder& b = *y.builder;
  const int count = y.id + 1;
  List<u8> needed(count, 0);
  for (int node : wrt)
    if (node < count) needed[node] = 1;
  for (int i = 0; i < count; ++i) {
    const ir::Node& node = b.graph.nodes[i];
    if (needed[i] || node.arity == 0 || !is_float(node.dtype) || !has_gradient_rule(node.op)) continue;
    const int* operands = b.graph.edges.data() + node.first;
    for (int k = 0; k < node.arity; ++k)
      if (needed[operands[k]]) needed[i] = 1;
  }
  List<int> adjoint(count, -1);
  adjoint[y.id] = seed.id;
  for (int i = count - 1; i >= 0; --i) {
    if (adjoint[i] < 0 || !needed[i]) continue;
    if (!has_gradient_rule(b.graph.nodes[i].op)) continue;
    const GradientRule rule = gradient_rule(b.graph.nodes[i].op);
    Value out[3];
    rule({&b, i}, {&b, adjoint[i]}, out);
    const int first = b.graph.nodes[i].first, arity = b.graph.nodes[i].arity;
    for (int k = 0; k < arity && k < 3; ++k) {
      const int operand = b.graph.edges[first + k];
      if (!out[k] || !needed[operand]) continue;
      adjoint[operand] = adjoint[operand] < 0 ? out[k].id : (Value{&b, adjoint[operand]} + out[k]).id;
    }
  }
  List<Value> gradients;
  for (int node : wrt)
    gradients.push(node < count && needed[node] && adjoint[node] >= 0 ? Value{&b, adjoint[node]} : Value{});
  return gradients;
}

}  // namespace weft::passes
