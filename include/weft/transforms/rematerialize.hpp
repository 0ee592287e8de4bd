#pragma once
// Activation checkpointing: what the backward pass reads of a model's blocks is computed again from what
// enters each block, in place of being kept. Law: what is computed again is the same nodes of the same
// operands, so that every bit is that of the graph without; it waits for the gradient that arrives at its
// block (add_dependency), so that no kernel of the forward pass makes it.
//
// (Chen, Xu, Zhang, Guestrin: Training Deep Nets with Sublinear Memory Cost, 2016.)

#include "weft/ir/state_slice.hpp"
#include "weft/ir/value.hpp"
#include "weft/transforms/kept_values.hpp"

namespace WEFT_NAMESPACE::transforms {

class Rematerializer {
 public:
  // `graph`: forward pass, loss (its first output), backward pass in this order, as differentiation leaves
  // them. `blocks`: the block of each slot of the model's state, -1: none; other slots are vectors of
  // several. `kept`: whether each node of the forward pass is, beside what enters a block.
  constexpr Rematerializer(const ir::Graph& graph, const List<int>& blocks, List<u8>&& kept)
      : g(graph),
        loss_(graph.outputs[0]),
        b(graph, graph.nodes.size()),
        kept_(static_cast<List<u8>&&>(kept)) {
    keep_results_together();
    find_calls(blocks);
    find_last_readers();
    find_segments();
    b.graph.bodies = g.bodies;
    b.graph.body_words = g.body_words;
  }

  constexpr ir::Graph run() {
    const int n = g.nodes.size();
    moved_ = List<int>(n, -1);
    again_ = List<int>(n, -1);
    List<int> operands;
    for (int i = 0; i < n; ++i) {
      const ir::Node& node = g.nodes.items[i];
      operands.clear();
      for (int k = 0; k < node.arity; ++k) {
        const int x = g.in(i, k);
        operands.push(i > loss_ && segment_of_[x] >= 0 ? again(x, i) : moved_[x]);
      }
      moved_[i] = b.add(node, operands.data(), operands.size());
    }
    for (int node : g.inputs) b.graph.inputs.push(node < 0 ? -1 : moved_[node]);
    for (int node : g.outputs) b.graph.outputs.push(moved_[node]);
    for (const ir::Assign& a : g.assigns) b.graph.assigns.push({a.slot, moved_[a.node]});
    return static_cast<ir::Graph&&>(b.graph);
  }
  // Of each node the call of a block in which it is computed again, -1: it is kept.
  constexpr const List<int>& segments() const { return segment_of_; }

 private:
  // From the first to the last node that works on parameters of a block in one call of it.
  struct Call {
    int first = -1, last = -1;
  };

  // One kernel makes all results of an attention: one that is kept saves nothing while another is not.
  constexpr void keep_results_together() {
    List<u8> keeps(loss_ + 1, 0);
    for (int round = 0; round < 2; ++round)
      for (int i = 0; i <= loss_; ++i) {
        if (g.nodes.items[i].op != ir::Op::result) continue;
        const int region = g.in(i, 0);
        if (!ir::is_attention(g.nodes.items[region].op)) continue;
        if (round == 0)
          keeps[region] = keeps[region] || kept_[i];
        else
          kept_[i] = keeps[region];
      }
  }

  constexpr i64 bytes_of(int i) const { return g.dims(i).size() * size_of(g.nodes.items[i].dtype); }

  // The calls of blocks, one behind another. What is made of state and constants alone (the cast of a weight)
  // is not of the forward pass: it is the block's, as the state is. A parameter that is worked on once more
  // begins another call: one block may stand for many, and a gradient in the loss works on all again.
  constexpr void find_calls(const List<int>& blocks) {
    const int n = loss_ + 1;
    constexpr int nothing = -1, outside = -2;  // in place of a slot
    constant_ = List<u8>(n, 0);
    List<int> source(n, nothing);  // the slot of a parameter that a node is made of
    const auto slot_of = [&](int slot) { return slot < blocks.size() && blocks[slot] >= 0 ? slot : outside; };
    const auto slot_at = [&](i64 offset) {  // of the parameter that begins there
      for (int slot = 0; slot < blocks.size(); ++slot)
        if (g.slots.items[slot].offset == offset) return slot_of(slot);
      return outside;
    };
    int block = -1;
    List<int> worked_on(blocks.size(), 0);  // the call that did last, counted from 1
    for (int i = 0; i < n; ++i) {
      const ir::Node& node = g.nodes.items[i];
      if (node.arity == 0) {
        constant_[i] = node.op != ir::Op::input;
        if (node.op == ir::Op::state && static_cast<int>(node.imm) < blocks.size())
          source[i] = slot_of(static_cast<int>(node.imm));
        continue;
      }
      constant_[i] = 1;
      int used = nothing;
      for (int k = 0; k < node.arity; ++k) {
        const int x = g.in(i, k);
        if (!constant_[x]) constant_[i] = 0;
        if (source[x] != nothing && used < 0) used = source[x];
      }
      if (const ir::StateSlice slice = ir::state_slice(g, i); slice.state >= 0) used = slot_at(slice.offset);
      if (constant_[i]) {
        source[i] = used;
      } else if (used >= 0) {
        if (blocks[used] != block || worked_on[used] == calls_.size()) calls_.push({i, i});
        block = blocks[used];
        worked_on[used] = calls_.size();
        calls_.back().last = i;
      } else if (used == outside) {
        others_.push(i);
      }
    }
  }

  // The last node of the forward pass that reads a value.
  constexpr void find_last_readers() {
    reader_ = List<int>(loss_ + 1, -1);
    for (int i = 0; i <= loss_; ++i)
      for (int k = 0; k < g.nodes.items[i].arity; ++k) reader_[g.in(i, k)] = i;
  }

  // Each call from where the fewest bytes enter it to where the fewest leave it.
  constexpr void find_segments() {
    segment_of_ = List<int>(g.nodes.size(), -1);
    // the bytes that are read behind node p and made at p or before
    List<i64> crossing(loss_ + 2, 0);
    for (int i = 0; i <= loss_; ++i) {
      if (constant_[i] || reader_[i] <= i) continue;
      crossing[i] += bytes_of(i);
      crossing[reader_[i]] -= bytes_of(i);
    }
    for (int i = 1; i <= loss_; ++i) crossing[i] += crossing[i - 1];
    int other = 0, end = -1;
    for (int k = 0; k < calls_.size(); ++k) {
      // uses of parameters of no block lie between
      int begin_from = end;
      for (; other < others_.size() && others_[other] < calls_[k].first; ++other)
        if (others_[other] > begin_from) begin_from = others_[other];
      int begin = end;
      if (begin_from != end || k == 0) {
        begin = calls_[k].first - 1;
        for (int p = begin; p >= begin_from && p >= 0; --p)
          if (crossing[p] < crossing[begin]) begin = p;
      }
      int stop = k + 1 < calls_.size() ? calls_[k + 1].first : loss_;
      int next = other;
      while (next < others_.size() && others_[next] <= calls_[k].last) ++next;
      if (next < others_.size() && others_[next] < stop) stop = others_[next];
      end = calls_[k].last;
      for (int p = end; p < stop; ++p)
        if (crossing[p] < crossing[end]) end = p;
      arrived_.push(-1);
      for (int i = begin + 1; i <= end; ++i) {
        const bool leaves = reader_[i] > end;
        if (!constant_[i] && g.nodes.items[i].arity > 0 && !leaves && !kept_[i]) segment_of_[i] = k;
      }
    }
  }

  // Node x of the forward pass, computed again for node `reader` of the backward pass.
  constexpr int again(int x, int reader) {
    int& arrived = arrived_[segment_of_[x]];
    if (arrived < 0) arrived = gradient_at(reader);
    stack_.clear();
    stack_.push(x);
    while (stack_.size() > 0) {
      const int i = stack_.back();
      const ir::Node& node = g.nodes.items[i];
      bool ready = again_[i] < 0;
      for (int k = 0; ready && k < node.arity; ++k) {
        const int from = g.in(i, k);
        if (segment_of_[from] < 0 || again_[from] >= 0) continue;
        stack_.push(from);
        ready = false;
        break;
      }
      if (stack_.back() != i) continue;
      stack_.resize(stack_.size() - 1);
      if (again_[i] >= 0) continue;
      operands_.clear();
      for (int k = 0; k < node.arity; ++k) operands_.push(operand(g.in(i, k), arrived));
      again_[i] = b.add(node, operands_.data(), operands_.size());
    }
    return again_[x];
  }
  // What a node that is computed again reads in the place of x. A single element is no memory to save.
  constexpr int operand(int x, int arrived) {
    if (segment_of_[x] >= 0) return again_[x];
    if (arrived < 0 || constant_[x] || g.dims(x).size() <= 1) return moved_[x];
    return ir::add_dependency({&b, moved_[x]}, {&b, arrived}).id;
  }
  // The gradient that a node of the backward pass works on: its last operand that is of that pass, or what
  // was made last.
  constexpr int gradient_at(int reader) const {
    int last = -1;
    for (int k = 0; k < g.nodes.items[reader].arity; ++k) {
      const int x = g.in(reader, k);
      if (x > loss_ && g.nodes.items[x].arity > 0 && x > last) last = x;
    }
    for (int i = reader - 1; last < 0 && i > loss_; --i)
      if (g.nodes.items[i].arity > 0) last = i;
    return last < 0 ? -1 : moved_[last];
  }

  const ir::Graph& g;
  int loss_;
  ir::Builder b;
  List<u8> kept_;
  List<Call> calls_;
  List<int> others_;      // nodes that work on state of no block
  List<u8> constant_;     // made of state and constants alone
  List<int> reader_;      // the last one in the forward pass
  List<int> segment_of_;  // of a node that is computed again, -1
  List<int> arrived_;     // of each segment: the gradient that arrives there
  List<int> moved_;       // where each node is now
  List<int> again_;       // and where it is computed again
  List<int> stack_, operands_;
};

constexpr ir::Graph rematerialize(const ir::Graph& g, const List<int>& blocks, Keeps keeps) {
  return Rematerializer(g, blocks, kept_values(g, g.outputs[0] + 1, keeps)).run();
}
// The same where the first `count` of a list of nodes are what is kept.
constexpr ir::Graph rematerialize(const ir::Graph& g, const List<int>& blocks, const List<int>& order,
                                  int count) {
  List<u8> kept(g.outputs[0] + 1, 0);
  for (int i = 0; i < count; ++i) kept[order[i]] = 1;
  return Rematerializer(g, blocks, static_cast<List<u8>&&>(kept)).run();
}

}  // namespace WEFT_NAMESPACE::transforms
