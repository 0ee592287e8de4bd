#pragma once
// In which order values of blocks are worth being kept under a budget of memory: first what takes longest to
// compute again for its bytes, of equal blocks the last one's first, which are held for the shortest time.
// Law: what is kept at a smaller budget is kept at a larger one.
//
// How much memory each choice takes is estimated on the memory plan of the program that keeps everything: a
// value that is computed again is not held from its last reader of the forward pass to the first of the
// backward pass that reads a value of its block.

#include "weft/core/sorted.hpp"
#include "weft/ir/attention.hpp"
#include "weft/kernel_ir/memory_plan.hpp"
#include "weft/transforms/prune.hpp"
#include "weft/transforms/rematerialize.hpp"

namespace WEFT_NAMESPACE::transforms {

// Of each node the call of a block in which it is computed again where nothing of blocks is kept, -1: none.
constexpr List<int> checkpoint_segments(const ir::Graph& g, const List<int>& blocks) {
  return Rematerializer(g, blocks, List<u8>(g.outputs[0] + 1, 0)).segments();
}

// How long a node takes to compute, in bytes moved meanwhile. A processor of today does this many operations
// of a product while it moves a byte; the order changes little with it.
constexpr double checkpoint_cost(const ir::Graph& g, int i) {
  constexpr double flops_per_byte = 16;
  const ir::Node& node = g.nodes.items[i];
  double flops = 0;
  if (node.op == ir::Op::dot) {
    const ir::DotAxes axes = ir::dot_axes(g, i);
    flops = 2 * static_cast<double>(g.dims(i).size());
    for (int k = 0; k < axes.contracted; ++k)
      flops *= static_cast<double>(g.dims(g.in(i, 0)).extent[axes.contracted_a[k]]);
  } else if (node.op == ir::Op::conv) {
    const Dims& w = g.dims(g.in(i, 1));
    flops = 2 * static_cast<double>(g.dims(i).size() * g.dims(g.in(i, 0)).extent[2]);
    for (int k = 3; k < w.rank; ++k) flops *= static_cast<double>(w.extent[k]);
  } else if (ir::is_attention(node.op)) {
    const ir::AttentionShape s = ir::attention_shape(g, i);
    flops = 2 * static_cast<double>(s.grid().size() * (s.width + s.value_width)) * (s.is_gradient ? 2.5 : 1);
  }
  if (flops > 0) return flops / flops_per_byte;
  i64 bytes = kernel_ir::bytes_of(g, i);
  for (int k = 0; ir::is_reduction(node.op) && k < node.arity; ++k)
    bytes = bytes < kernel_ir::bytes_of(g, g.in(i, k)) ? kernel_ir::bytes_of(g, g.in(i, k)) : bytes;
  return static_cast<double>(bytes);
}

class CheckpointRanking {
 public:
  // `graph`: as rematerialize takes it. `pruned`, `fusion`, `plan`: of the program that it becomes where
  // everything is kept; `where`: the node of `pruned` that each of the graph's has become, -1: none.
  // `segments`: of each node of the graph the call of a block in which it could be computed again, -1: none.
  constexpr CheckpointRanking(const ir::Graph& graph, const List<int>& segments, const ir::Graph& pruned,
                              const List<int>& where, const kernel_ir::Fusion& fusion,
                              const kernel_ir::Plan& plan)
      : g(graph),
        loss_(graph.outputs[0]),
        segment_of_(segments),
        p(pruned),
        where_(where),
        f(fusion),
        plan_(plan) {}

  // The nodes, in their order.
  constexpr List<int> order() {
    find_lives();
    find_candidates();
    find_needed();
    for (int begin = 0; begin < candidates_.size();) {
      int end = begin + 1;
      while (end < candidates_.size() && candidates_[end].segment == candidates_[begin].segment) ++end;
      rank(begin, end);
      begin = end;
    }
    // sorts are stable: equal worth in the order of the blocks from behind
    sort_by(candidates_, [](const Candidate& c) { return -c.segment; });
    sort_by(candidates_, [](const Candidate& c) { return -c.worth; });
    List<int> nodes;
    for (const Candidate& c : candidates_) nodes.push(c.node);
    return nodes;
  }
  // An estimate of the workspace where the first k of `order` are kept, for each k up to its size.
  constexpr List<i64> estimate(const List<int>& order) {
    find_lives();
    find_candidates();
    const int kernels = f.kernels.size();
    List<i64> held(kernels + 1, 0);
    i64* const at = held.data();
    i64 most = 0;
    const kernel_ir::GradientArena arena = kernel_ir::gradient_arena(p, plan_);
    at[0] += arena.bytes();
    const auto hold = [&](int begin, int end, i64 change) {
      at[begin] += change;
      if (end < kernels) at[end + 1] -= change;
    };
    List<int> placed;
    for (int x = 0; x < p.nodes.size(); ++x) {
      if (lives_[x].made < 0 || !plan_.in_workspace(x) || arena.holds(plan_.offset(x))) continue;
      hold(lives_[x].made, lives_[x].last, kernel_ir::bytes_of(p, x));
      placed.push(x);
    }
    // what is computed in a dying value's place is held once
    sort_by(placed, [this](int x) { return lives_[x].made; });
    sort_by(placed, [this](int x) { return plan_.offset(x); });
    for (int i = 1; i < placed.size(); ++i) {
      const int x = placed[i], y = placed[i - 1];
      const int end = lives_[y].last < lives_[x].last ? lives_[y].last : lives_[x].last;
      if (plan_.where[x] != plan_.where[y] || end < lives_[x].made) continue;
      const i64 a = kernel_ir::bytes_of(p, x), b = kernel_ir::bytes_of(p, y);
      hold(lives_[x].made, end, a < b ? -a : -b);
    }
    for (int k = 1; k <= kernels; ++k) at[k] += at[k - 1];
    for (int k = 0; k <= kernels; ++k) most = most < at[k] ? at[k] : most;
    // scratch, and gaps between values, which are the fewer the less is held
    const double beside =
        static_cast<double>(plan_.workspace_bytes) / static_cast<double>(most > 0 ? most : 1);
    const auto with_gaps = [&](i64 x) { return static_cast<i64>(static_cast<double>(x) * beside); };
    List<int> candidate_of(loss_ + 1, -1);
    for (int c = 0; c < candidates_.size(); ++c) candidate_of[candidates_[c].node] = c;
    // between the passes
    const auto first = [&](const Candidate& c) {
      const Life& life = lives_[c.stored];
      return (life.last_forward > life.made ? life.last_forward : life.made) + 1;
    };
    for (const Candidate& c : candidates_)
      for (int k = first(c), end = arrives_[c.segment]; k < end; ++k) at[k] -= c.bytes;
    most = 0;
    for (int k = 0; k <= kernels; ++k) most = most < at[k] ? at[k] : most;
    List<i64> bytes;
    bytes.push(with_gaps(most));
    for (const int node : order) {
      const Candidate& c = candidates_[candidate_of[node]];
      for (int k = first(c), end = arrives_[c.segment]; k < end; ++k) {
        at[k] += c.bytes;
        if (most < at[k]) most = at[k];
      }
      bytes.push(with_gaps(most));
    }
    return bytes;
  }

 private:
  // A value of the forward pass that a kernel stores and one of the backward pass reads.
  struct Candidate {
    int node = -1, stored = -1;  // in the graph, and in what it becomes
    int segment = -1;
    i64 bytes = 0;
    double worth = 0;  // what it saves for a byte
  };
  // The kernels that make and read what is stored, -1: none.
  struct Life {
    int made = -1, last_forward = -1, first_backward = -1, last = -1;
  };

  constexpr void find_lives() {
    const int n = p.nodes.size(), kernels = f.kernels.size();
    List<u8> backward(n, 0);
    node_of_ = List<int>(n, -1);
    for (int i = g.nodes.size() - 1; i >= 0; --i) {
      const int at = where_[i];
      if (at < 0) continue;
      backward[at] = i > loss_;
      node_of_[at] = i;
    }
    lives_ = List<Life>(n);
    for (int k = 0; k < kernels; ++k) {
      const kernel_ir::Kernel& kernel = f.kernels.items[k];
      bool behind = kernel.stores.size > 0;
      for (int i = 0; i < kernel.stores.size; ++i) {
        const int x = f.pool.items[kernel.stores.begin + i];
        lives_[x].made = k;
        if (lives_[x].last < k) lives_[x].last = k;
        behind = behind && backward[x];
      }
      f.each_read(p, k, [&](int x) {
        Life& life = lives_[x];
        if (!behind)
          life.last_forward = k;
        else if (life.first_backward < 0)
          life.first_backward = k;
        life.last = k;
      });
    }
    for (const int x : p.outputs) lives_[x].last = kernels;
  }

  constexpr void find_candidates() {
    int segments = 0;
    for (const int s : segment_of_) segments = segments <= s ? s + 1 : segments;
    arrives_ = List<int>(segments, f.kernels.size());
    for (int x = 0; x < p.nodes.size(); ++x) {
      const Life& life = lives_[x];
      const int i = node_of_[x];
      if (life.made < 0 || i < 0 || i > loss_ || segment_of_[i] < 0 || life.first_backward < 0) continue;
      const int segment = segment_of_[i];
      if (is_beside(i)) continue;
      candidates_.push({i, x, segment, kernel_ir::bytes_of(p, x), 0});
      if (arrives_[segment] > life.first_backward) arrives_[segment] = life.first_backward;
    }
    sort_by(candidates_, [](const Candidate& c) { return c.node; });
    sort_by(candidates_, [](const Candidate& c) { return c.segment; });
  }

  // A result of an attention that goes with the first (Rematerializer::keep_results_together), and is small.
  constexpr bool is_beside(int i) const {
    const ir::Node& node = g.nodes.items[i];
    return node.op == ir::Op::result && node.imm != 0 && ir::is_attention(g.nodes.items[g.in(i, 0)].op);
  }
  constexpr void mark_kept(int i, u8 kept) {
    kept_[i] = kept;
    if (beside_[i] >= 0) kept_[beside_[i]] = kept;
  }

  // What the backward pass reads, and the nodes of each segment in their order.
  constexpr void find_needed() {
    needed_ = List<u8>(loss_ + 1, 0);
    for (int i = loss_ + 1; i < g.nodes.size(); ++i)
      for (int k = 0; k < g.nodes.items[i].arity; ++k)
        if (const int x = g.in(i, k); x <= loss_ && segment_of_[x] >= 0) needed_[x] = 1;
    members_ = List<int>();
    for (int i = 0; i <= loss_; ++i)
      if (segment_of_[i] >= 0) members_.push(i);
    sort_by(members_, [this](int i) { return segment_of_[i]; });
    kept_ = List<u8>(loss_ + 1, 0);
    beside_ = List<int>(loss_ + 1, -1);
    List<int> first(loss_ + 1, -1);  // result of each region
    for (int i = 0; i <= loss_; ++i) {
      if (g.nodes.items[i].op != ir::Op::result) continue;
      if (!is_beside(i))
        first[g.in(i, 0)] = i;
      else if (first[g.in(i, 0)] >= 0)
        beside_[first[g.in(i, 0)]] = i;
    }
    reached_ = List<u8>(loss_ + 1, 0);
  }

  // How long it takes to compute again what the backward pass reads of members [begin, end).
  constexpr double cost_of(int begin, int end) {
    const int* const members = members_.data();
    const int* const segments = segment_of_.data();
    const int* const edges = g.edges.data();
    u8* const reached = reached_.data();
    for (int m = begin; m < end; ++m) reached[members[m]] = needed_.items[members[m]];
    double cost = 0;
    for (int m = end - 1; m >= begin; --m) {
      const int i = members[m];
      if (!reached[i] || kept_.items[i]) continue;
      cost += costs_.items[m - begin];
      const ir::Node& node = g.nodes.items[i];
      for (const int* in = edges + node.first, *stop = in + node.arity; in != stop; ++in)
        if (segments[*in] == segments[i]) reached[*in] = 1;
    }
    return cost;
  }

  // The worth of the candidates [begin, end), those of one segment: each time the best of those left. What is
  // worth more only behind others comes right behind them.
  constexpr void rank(int begin, int end) {
    const int segment = candidates_[begin].segment;
    int first = at_, last = first;
    while (first < members_.size() && segment_of_[members_[first]] < segment) ++first;
    for (last = first; last < members_.size() && segment_of_[members_[last]] == segment;) ++last;
    at_ = last;
    if (is_like_before(begin, end, first, last)) {
      for (int c = begin; c < end; ++c) candidates_[c].worth = candidates_[before_.begin + (c - begin)].worth;
      return;
    }
    before_ = {begin, end, first, last};
    costs_.clear();
    for (int m = first; m < last; ++m) costs_.push(checkpoint_cost(g, members_[m]));
    double cost = cost_of(first, last), most = -1;
    for (int left = end - begin; left > 0; --left) {
      int best = -1;
      double best_cost = 0, best_worth = -1;
      for (int c = begin; c < end; ++c) {
        if (kept_[candidates_[c].node]) continue;
        mark_kept(candidates_[c].node, 1);
        const double with = cost_of(first, last);
        mark_kept(candidates_[c].node, 0);
        const double worth = (cost - with) / static_cast<double>(candidates_[c].bytes + 1);
        if (worth > best_worth) best = c, best_cost = with, best_worth = worth;
      }
      mark_kept(candidates_[best].node, 1);
      cost = best_cost;
      // a little less than what came before, so that a sort leaves the order
      if (most >= 0 && best_worth > most * (1 - 1e-9)) best_worth = most * (1 - 1e-9);
      candidates_[best].worth = most = best_worth;
    }
  }
  // Whether a segment is another call of the same block as the one that was ranked last.
  constexpr bool is_like_before(int begin, int end, int first, int last) const {
    if (end - begin != before_.end - before_.begin || last - first != before_.last - before_.first)
      return false;
    const int apart = members_[first] - members_[before_.first];
    for (int m = first; m < last; ++m) {
      const int i = members_[m], j = members_[before_.first + (m - first)];
      if (i - j != apart || g.nodes.items[i].op != g.nodes.items[j].op ||
          g.nodes.items[i].shape != g.nodes.items[j].shape || needed_[i] != needed_[j])
        return false;
    }
    for (int c = begin; c < end; ++c)
      if (candidates_[c].node - candidates_[before_.begin + (c - begin)].node != apart) return false;
    return true;
  }

  struct Ranked {
    int begin = 0, end = 0, first = 0, last = 0;
  };

  const ir::Graph& g;
  int loss_;
  const List<int>& segment_of_;
  const ir::Graph& p;
  const List<int>& where_;
  const kernel_ir::Fusion& f;
  const kernel_ir::Plan& plan_;
  List<int> node_of_;  // of each node of the pruned graph the first that became it
  List<Life> lives_;
  List<int> arrives_;  // of each segment the first kernel of the backward pass that reads a value of it
  List<Candidate> candidates_;
  List<u8> needed_, kept_, reached_;
  List<int> beside_;   // of the first result of an attention the one that goes with it
  List<int> members_;  // the nodes of all segments
  List<double> costs_;
  int at_ = 0;
  Ranked before_;
};

}  // namespace WEFT_NAMESPACE::transforms
