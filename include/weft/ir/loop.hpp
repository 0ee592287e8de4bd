#pragma once
// Loops: a node that runs a graph of its own, the body, a fixed number of times, and one node for each of its
// results. Law: what a loop costs to compile does not depend on its trips.
//
// Operands and the body's inputs, in the same order: carries, stacked inputs (trips, ...), invariants. The
// body sees a carry's value, the trip's slice of a stacked input, and an invariant as it is. Its outputs:
// every carry's next value, then values that are stacked. Trip t (T-1-t in reverse) reads and writes slices
// t. Of the last stacked inputs, `ahead` in number, it has those of trip t + 1, to begin what that one needs;
// the last trip has none, and what it begins of them is nothing.

#include "weft/ir/freeze.hpp"
#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::ir {

struct LoopShape {
  i64 trips = 0;
  bool reverse = false;
  int carries = 0, stacked = 0, invariants = 0, outputs = 0, ahead = 0;

  // Results: the carries at the end; the carries' histories (trips + 1, ...); the stacked outputs.
  // A history holds what was carried into trip t at t and what came out of it at t + 1; in reverse the other
  // way round, so that its rows stand in the order of the slices.
  constexpr int final_of(int carry) const { return carry; }
  constexpr int history_of(int carry) const { return carries + carry; }
  constexpr int output(int k) const { return 2 * carries + k; }
  constexpr int results() const { return 2 * carries + outputs; }
  // The output of the body that makes a result.
  constexpr int body_output(int result) const { return result < carries ? result : result - carries; }
  constexpr int operands() const { return carries + stacked + invariants; }
  constexpr bool is_stacked(int operand) const { return operand >= carries && operand < carries + stacked; }
  constexpr bool is_ahead(int operand) const {
    return is_stacked(operand) && operand >= carries + stacked - ahead;
  }
  // Rows of a history: of the carry that enters the first trip, and where the rows begin that the trips read
  // and write.
  constexpr i64 first_row() const { return reverse ? trips : 0; }
  constexpr i64 last_row() const { return reverse ? 0 : trips; }
  constexpr i64 read_from() const { return reverse ? 1 : 0; }
  constexpr i64 written_from() const { return reverse ? 0 : 1; }
};

// A loop that gets carries and stacked operands more, each behind its own: what numbers its own have then.
struct WidenedLoop {
  LoopShape before;
  int carries = 0, stacked = 0;

  constexpr int operand(int k) const {
    return k < before.carries ? k : k < before.carries + before.stacked ? k + carries : k + carries + stacked;
  }
  constexpr int result(int which) const {
    return which + (which < before.carries ? 0 : which < 2 * before.carries ? 1 : 2) * carries;
  }
};

constexpr LoopShape loop_shape(const Graph& g, int node) {
  const i64* list = g.list_data.data() + g.lists[g.nodes[node].list].begin;
  LoopShape s;
  s.trips = list[0];
  s.reverse = list[1] != 0;
  s.carries = static_cast<int>(list[2]);
  s.stacked = static_cast<int>(list[3]);
  s.invariants = static_cast<int>(list[4]);
  s.outputs = static_cast<int>(list[5]);
  s.ahead = static_cast<int>(list[6]);
  return s;
}

// The body of a region.
constexpr Graph thaw_body(const Graph& g, const Node& region) {
  return thaw(g.body_words.data() + g.bodies[static_cast<int>(region.imm)].begin);
}
constexpr Graph region_body(const Graph& g, int node) { return thaw_body(g, g.nodes[node]); }
constexpr bool has_loops(const Graph& g) {
  if (g.bodies.empty()) return false;
  for (const Node& n : g.nodes)
    if (n.op == Op::loop) return true;
  return false;
}
constexpr Graph loop_body(const Graph& g, int node) { return region_body(g, node); }
// The operation that makes node x: of a loop's result that in its body.
constexpr Op made_by(const Graph& g, int x) {
  if (g.nodes[x].op != Op::result) return g.nodes[x].op;
  const int region = g.in(x, 0);
  if (g.nodes[region].op != Op::loop) return g.nodes[region].op;
  const Graph body = loop_body(g, region);
  return made_by(body, body.outputs[loop_shape(g, region).body_output(static_cast<int>(g.nodes[x].imm))]);
}

// `d` along a new leading axis.
constexpr Dims stacked_dims(i64 extent, const Dims& d) {
  Dims r;
  r.rank = d.rank + 1;
  r.extent[0] = extent;
  for (int k = 0; k < d.rank; ++k) r.extent[k + 1] = d.extent[k];
  return r;
}
// Without the leading axis.
constexpr Dims slice_dims(const Dims& d) {
  Dims r;
  r.rank = d.rank - 1;
  for (int k = 1; k < d.rank; ++k) r.extent[k - 1] = d.extent[k];
  return r;
}

// The number of a body; equal ones are one.
constexpr int add_body(Graph& g, const Graph& body) {
  WordWriter count(nullptr, 0);
  write(count, body);
  const int size = count.size();
  List<u64> words(size, 0);
  WordWriter writer(words.data(), size);
  write(writer, body);
  const u64* known = g.body_words.data();
  for (int k = 0; k < g.bodies.size(); ++k) {
    if (g.bodies[k].size != size) continue;
    bool same = true;
    for (int i = 0; i < size && same; ++i) same = known[g.bodies[k].begin + i] == words[i];
    if (same) return k;
  }
  g.bodies.push({g.body_words.size(), size});
  g.body_words.append(words.data(), size);
  return g.bodies.size() - 1;
}

constexpr int loop_list(Builder& b, const LoopShape& s) {
  const i64 list[7]{s.trips, s.reverse ? 1 : 0, s.carries, s.stacked, s.invariants, s.outputs, s.ahead};
  return b.list(list, 7);
}

constexpr Value loop(Builder& b, const LoopShape& s, const Graph& body, const List<int>& operands) {
  Node node{Op::loop, DType::u8};
  node.shape = b.shape(Dims{});
  node.list = loop_list(b, s);
  node.imm = static_cast<u64>(add_body(b.graph, body));
  return {&b, b.add(node, operands.data(), operands.size())};
}
// Result `which` of a region.
constexpr Value region_result(Value region, int which, DType dtype, const Dims& dims) {
  return raw(Op::result, dtype, region.builder->shape(dims), static_cast<u64>(which), -1, region);
}
constexpr Value loop_result(Value loop, int which, DType dtype, const Dims& dims) {
  return region_result(loop, which, dtype, dims);
}
constexpr Value loop_final(Value loop, const LoopShape& s, int carry) {
  const Value x = loop.in(carry);
  return loop_result(loop, s.final_of(carry), x.dtype(), x.dims());
}
constexpr Value loop_history(Value loop, const LoopShape& s, int carry) {
  const Value x = loop.in(carry);
  return loop_result(loop, s.history_of(carry), x.dtype(), stacked_dims(s.trips + 1, x.dims()));
}

// Rows [begin, begin + count) along the first axis.
constexpr Value rows(Value x, i64 begin, i64 count) {
  Slices axes;
  Dims d = x.dims();
  axes[0].begin = begin;
  d.extent[0] = count;
  return slice(x, axes, d);
}

}  // namespace WEFT_NAMESPACE::ir
