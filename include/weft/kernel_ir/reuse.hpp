#pragma once
// Small values that large ones read through broadcasts, such as the sines of a rotary embedding. Law: what is
// stored or made again has the same bits; this alone decides what that costs.

#include "weft/kernel_ir/fusion.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

class Reuse {
 public:
  // Of the nodes from `first` on. O(nodes + edges), in few steps of a constant evaluation: each piece of a
  // long program goes through it.
  constexpr explicit Reuse(const Graph& graph, int first = 0)
      : g(graph), elements_(graph.nodes.size(), 0), sizes_(graph.shapes.size(), 0) {
    for (int k = 0; k < g.shapes.size(); ++k) sizes_[k] = g.shapes[k].size();
    const Node* const nodes = g.nodes.data();
    const int* const edges = g.edges.data();
    const i64* const sizes = sizes_.data();
    i64* const elements = elements_.data();
    for (int u = g.nodes.size() - 1; u >= first; --u) {
      const Node& n = nodes[u];
      i64 read = sizes[n.shape];
      if (n.op == Op::broadcast || n.op == Op::reshape || n.op == Op::permute) {
        if (read < elements[u]) read = elements[u];
        if (n.op == Op::broadcast) read /= row_of_broadcast(g.dims(edges[n.first]), g.dims(u));
      }
      for (const int *x = edges + n.first, *end = x + n.arity; x != end; ++x)
        elements[*x] = elements[*x] < read ? read : elements[*x];
    }
  }

  // Whether x, which arithmetic of `cost` makes of what is in memory, is rather stored once than made for
  // each element that reads it.
  constexpr bool is_worth_storing(int x, int cost) const {
    return cost >= least_cost && may_be_worth_storing(x) && more_elements(x) * cost >= least_work;
  }
  constexpr bool may_be_worth_storing(int x) const {
    const i64 size = size_of(x);
    return size > 0 && elements_.data()[x] / 4 >= size && more_elements(x) * highest_cost >= least_work;
  }
  // Of the arithmetic that x is made of, each node once: iotas, constants, random numbers and what is made of
  // these alone.
  constexpr int generator_cost(int x) const {
    int seen[most_nodes]{}, count = 0, cost = 0;
    seen[count++] = x;
    for (int at = 0; at < count; ++at) {
      const Node& n = g.nodes[seen[at]];
      cost += ir::info(n.op).cost;
      if (cost >= highest_cost) return highest_cost;
      for (int k = n.first; k < n.first + n.arity && count < most_nodes; ++k) {
        bool known = false;
        for (int j = 0; j < count; ++j) known = known || seen[j] == g.edges[k];
        if (!known) seen[count++] = g.edges[k];
      }
    }
    return cost;
  }

 private:
  // A value that is read costs as much, or nearly.
  static constexpr int least_cost = 12;
  // What a launch is worth: a tenth of a millisecond of one core, a microsecond or less of a GPU.
  static constexpr i64 least_work = 1 << 23;
  static constexpr int highest_cost = 255;
  static constexpr int most_nodes = 48;

  constexpr i64 size_of(int x) const { return sizes_.data()[g.nodes.data()[x].shape]; }
  constexpr i64 more_elements(int x) const { return elements_.data()[x] - size_of(x); }

  // Elements of b that are neighbours and read the same element of x: a kernel makes it once for them.
  static constexpr i64 row_of_broadcast(const Dims& x, const Dims& b) {
    i64 row = 1;
    for (int k = 0; k < b.rank; ++k) {
      const i64 from = k < x.rank ? x.extent[x.rank - 1 - k] : 1;
      if (from != 1) break;
      row *= b.extent[b.rank - 1 - k];
    }
    return row > 0 ? row : 1;
  }

  const Graph& g;
  List<i64> elements_;  // that a node's readers have, at most; 0: none
  List<i64> sizes_;     // of each shape
};

}  // namespace WEFT_NAMESPACE::kernel_ir
