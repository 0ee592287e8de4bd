#pragma once
// Where the interpreter keeps the values of a graph. Law: a value has memory from when it is computed until
// its last reader has run; results and what is assigned keep theirs to the end. Constants are made for their
// first reader.

#include "weft/ir/loop.hpp"
#include "weft/kernel_ir/first_fit.hpp"

namespace WEFT_NAMESPACE::exec {

struct ValuePlan {
  List<i64> at;  // bytes from the start of the workspace; -1: read where it lies
  i64 bytes = 0;
};

constexpr ValuePlan plan_values(const ir::Graph& g);

// The results of a loop one behind another, then the workspace of its body.
struct LoopLayout {
  List<i64> at;  // of each result; -1: nobody reads it
  List<i64> size;
  i64 body_at = 0, bytes = 0;
};
constexpr LoopLayout loop_layout(const ir::Graph& g, int node, const ir::Graph& body) {
  const ir::LoopShape s = ir::loop_shape(g, node);
  LoopLayout l;
  l.at = List<i64>(s.results(), -1);
  l.size = List<i64>(s.results(), 0);
  for (int k = 0; k < s.carries; ++k) l.at[s.final_of(k)] = 0;  // they are the carries themselves
  for (int i = node + 1; i < g.nodes.size(); ++i)
    if (g.nodes[i].op == ir::Op::result && g.in(i, 0) == node) l.at[static_cast<int>(g.nodes[i].imm)] = 0;
  for (int k = 0; k < s.results(); ++k) {
    const bool carried = k < 2 * s.carries;
    const int carry = k < s.carries ? k : k - s.carries;
    const ir::Graph& of = carried ? g : body;
    const int x = carried ? g.in(node, carry) : body.outputs[k - s.carries];
    const i64 times = k < s.carries ? 1 : carried ? s.trips + 1 : s.trips;
    l.size[k] = times * of.dims(x).size() * size_of(of.nodes[x].dtype);
    if (l.at[k] < 0) continue;
    l.at[k] = l.bytes;
    l.bytes = kernel_ir::align_up(l.bytes + l.size[k]);
  }
  l.body_at = l.bytes;
  l.bytes += plan_values(body).bytes;
  return l;
}

// Whether a node's value is made for its first reader.
constexpr bool is_made_late(ir::Op op) { return op == ir::Op::constant || op == ir::Op::iota; }
// Whether a node's value lies where others put it.
constexpr bool lies_outside(const ir::Graph& g, int i) {
  const ir::Node& n = g.nodes.items[i];
  return n.op == ir::Op::input || n.op == ir::Op::scalar ||
         (n.op == ir::Op::state && g.slots[static_cast<int>(n.imm)].segments < 0);
}

constexpr i64 value_bytes(const ir::Graph& g, int i) {
  const ir::Node& n = g.nodes.items[i];
  return n.op == ir::Op::loop ? loop_layout(g, i, ir::loop_body(g, i)).bytes
                              : g.dims(i).size() * size_of(n.dtype);
}

// Calls make(i) for every node in the order of evaluation, and done(i) when all that node i reads was read.
template <class Make, class Done>
constexpr void walk_values(const ir::Graph& g, const Make& make, const Done& done) {
  const int n = g.nodes.size();
  List<u8> made(n, 0);
  for (int i = 0; i < n; ++i) {
    if (is_made_late(g.nodes.items[i].op)) continue;
    for (int k = 0; k < g.nodes.items[i].arity; ++k) {
      const int x = g.in(i, k);
      if (!made[x]) made[x] = 1, make(x);
    }
    made[i] = 1;
    make(i);
    done(i);
  }
  const auto last = [&](int x) {
    if (!made[x]) made[x] = 1, make(x);
  };
  for (const int x : g.outputs) last(x);
  for (const ir::Assign& a : g.assigns) last(a.node);
}

constexpr ValuePlan plan_values(const ir::Graph& g) {
  const int n = g.nodes.size();
  List<int> last(n, 0);
  for (int i = 0; i < n; ++i) {
    last[i] = i;
    for (int k = 0; k < g.nodes.items[i].arity; ++k) last[g.in(i, k)] = i;
  }
  for (const int x : g.outputs) last[x] = n;
  for (const ir::Assign& a : g.assigns) last[a.node] = n;
  ValuePlan plan;
  plan.at = List<i64>(n, -1);
  kernel_ir::FirstFit memory(n);
  const auto make = [&](int i) {
    if (!lies_outside(g, i)) plan.at[i] = memory.allocate(value_bytes(g, i), last[i]);
  };
  walk_values(g, make, [&](int i) { memory.release(i); });
  plan.bytes = memory.peak();
  return plan;
}

}  // namespace WEFT_NAMESPACE::exec
