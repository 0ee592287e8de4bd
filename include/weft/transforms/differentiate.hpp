#pragma once
// Reverse-mode differentiation: appends to the graph the gradient of one scalar-seeded value with respect to
// chosen nodes. Only nodes on a path from those to the value are visited; time is linear in them.

#include "weft/ir/custom.hpp"
#include "weft/ir/loop.hpp"
#include "weft/transforms/gradient_rules.hpp"

namespace WEFT_NAMESPACE::transforms {

// The gradients of a loop's operands (-1: none) from those of its results: `adjoint` of each of the nodes
// `results`. Only operands that are `needed` count. Defined in loop_gradient.hpp.
constexpr List<int> loop_gradient(ir::Builder& b, int loop, const List<int>& results,
                                  const List<int>& adjoint, const List<u8>& needed);

// As loop_gradient, of an attention, whose result y has the gradient `dy`, and of the gradient of one.
// Defined in attention_gradient.hpp.
constexpr List<int> differentiate_attention(ir::Builder& b, int attention, int dy, const List<u8>& needed);
constexpr List<int> differentiate_attention_gradient(ir::Builder& b, int gradient, const List<int>& results,
                                                     const List<int>& adjoint, const List<u8>& needed);

// Whether a gradient can flow through a node to its operands.
constexpr bool passes_gradient(const ir::Node& node) {
  if (ir::is_region(node.op)) return true;
  return is_float(node.dtype) &&
         (node.op == Op::result || node.op == Op::custom || (node.arity > 0 && has_gradient_rule(node.op)));
}

// A differentiation that has come down to node `next`: what remains is a function of these and the graph, so
// that it can continue in another constant evaluation.
struct Differentiation {
  List<int> adjoint;  // the gradient's node of each node, no_gradient where none is asked for, -1: none yet
  int next = -1;
  static constexpr int no_gradient = -2;
};

// Of the sum over k of sum(ys[k] * seeds[k]) with respect to `wrt`.
constexpr Differentiation begin_differentiation(ir::Builder& b, const List<int>& ys, const List<int>& seeds,
                                                const List<int>& wrt) {
  const ir::Graph& g = b.graph;
  int count = 0;
  for (int y : ys)
    if (count <= y) count = y + 1;
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
    if (adjoint[i] == -1 || !passes_gradient(node)) continue;
    const int* const in = edges + node.first;
    for (int k = 0; k < node.arity; ++k)
      if (adjoint[in[k]] == -1) adjoint[i] = -1;
  }
  for (int k = 0; k < ys.size(); ++k) {
    int& a = adjoint[ys[k]];
    if (a != Differentiation::no_gradient) a = a < 0 ? seeds[k] : (Value{&b, a} + Value{&b, seeds[k]}).id;
  }
  return d;
}
// Of sum(y * seed).
constexpr Differentiation begin_differentiation(Value y, Value seed, const List<int>& wrt) {
  return begin_differentiation(*y.builder, List<int>(1, y.id), List<int>(1, seed.id), wrt);
}

constexpr void add_gradients(ir::Builder& b, Differentiation& d, int i, const List<int>& gradients) {
  for (int k = 0; k < gradients.size(); ++k) {
    int& a = d.adjoint.items[b.graph.in(i, k)];
    if (gradients[k] < 0 || a == Differentiation::no_gradient) continue;
    a = a < 0 ? gradients[k] : (Value{&b, a} + Value{&b, gradients[k]}).id;
  }
}

// Node i, a region that gradients reach: those of its results become those of its operands.
constexpr void differentiate_region(ir::Builder& b, Differentiation& d, int i) {
  int* const adjoint = d.adjoint.data();
  List<int> results, gradients;
  for (int r = i + 1; r < d.adjoint.size(); ++r)
    if (adjoint[r] >= 0 && b.graph.nodes.items[r].op == Op::result && b.graph.in(r, 0) == i)
      results.push(r), gradients.push(adjoint[r]);
  if (results.empty()) return;
  const int first = b.graph.nodes.items[i].first, arity = b.graph.nodes.items[i].arity;
  List<u8> needed;
  for (int k = 0; k < arity; ++k)
    needed.push(adjoint[b.graph.edges.items[first + k]] == Differentiation::no_gradient ? 0 : 1);
  const Op op = b.graph.nodes.items[i].op;
  List<int> out;
  if (op == Op::loop) {
    out = loop_gradient(b, i, results, gradients, needed);
  } else if (op == Op::attention_gradient) {
    out = differentiate_attention_gradient(b, i, results, gradients, needed);
  } else {
    for (int k = 0; k < results.size(); ++k)
      if (b.graph.nodes.items[results[k]].imm == 0) out = differentiate_attention(b, i, gradients[k], needed);
    if (out.empty()) return;  // nothing but lse, which gradients alone read
  }
  for (int k = 0; k < arity; ++k) {
    if (out[k] < 0) continue;
    int& a = adjoint[b.graph.edges.items[first + k]];
    a = a < 0 ? out[k] : (Value{&b, a} + Value{&b, out[k]}).id;
  }
}

// Visits at most `nodes` more nodes of the graph.
constexpr void differentiate_on(ir::Builder& b, Differentiation& d, int nodes) {
  int* const adjoint = d.adjoint.data();
  const int last = d.next >= nodes ? d.next - nodes : -1;
  for (int i = d.next; i > last; --i) {
    if (adjoint[i] == -1 && ir::is_region(b.graph.nodes.items[i].op)) differentiate_region(b, d, i);
    if (adjoint[i] < 0) continue;
    const ir::Op op = b.graph.nodes.items[i].op;
    if (op == Op::custom) {
      const List<int> gradients = ir::custom_gradient(b, i, adjoint[i]);
      add_gradients(b, d, i, gradients);
    }
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

// The gradients of the sum over k of sum(ys[k] * seeds[k]) with respect to `wrt`; an empty Value where no
// gradient reaches.
constexpr List<Value> differentiate(ir::Builder& b, const List<int>& ys, const List<int>& seeds,
                                    const List<int>& wrt) {
  Differentiation d = begin_differentiation(b, ys, seeds, wrt);
  differentiate_on(b, d, d.next + 1);
  List<Value> gradients;
  for (int node : wrt)
    gradients.push(node < d.adjoint.size() && d.adjoint[node] >= 0 ? Value{&b, d.adjoint[node]} : Value{});
  return gradients;
}
// The gradients of sum(y * seed).
constexpr List<Value> differentiate(Value y, Value seed, const List<int>& wrt) {
  return differentiate(*y.builder, List<int>(1, y.id), List<int>(1, seed.id), wrt);
}

}  // namespace WEFT_NAMESPACE::transforms

#include "weft/transforms/attention_gradient.hpp"
#include "weft/transforms/loop_gradient.hpp"
