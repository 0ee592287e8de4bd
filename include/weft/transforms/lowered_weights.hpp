#pragma once
// Weights that products read in a lower precision, cast together: those that are neighbours in the model's
// block become one vector of which the products see parts. So a step casts once where it would once a weight.

#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::transforms {

// Whether a node of `op` is its operand's elements, or some of them, in another order.
constexpr bool rearranges(ir::Op op) {
  return op == ir::Op::reshape || op == ir::Op::permute || op == ir::Op::slice;
}
// What x is a rearrangement of.
constexpr int source_of(const ir::Graph& g, int x) {
  while (rearranges(g.nodes.items[x].op)) x = g.in(x, 0);
  return x;
}

// Whether a precision lowers the node.
constexpr bool is_lowered(const ir::Node& node) {
  return (node.op == ir::Op::dot || node.op == ir::Op::conv) && node.dtype == DType::f32;
}

class LoweredWeights {
 public:
  // Of products of graph `g`, lowered to `compute`; what is cast goes into `b`.
  constexpr LoweredWeights(const ir::Graph& g, ir::Builder& b, DType compute) : lowered_(g.slots.size(), -1) {
    if (compute == DType::f32) return;
    List<Weight> weights = read_by_products(g);
    sort(weights, [](const Weight& x, const Weight& y) { return x.begin < y.begin; });
    for (int first = 0, end = 0; first < weights.size(); first = end) {
      i64 used = weights[first].length;
      for (end = first + 1; end < weights.size(); ++end) {
        const Weight& next = weights[end];
        const Weight& last = weights[end - 1];
        const i64 gap = next.begin - (last.begin + last.length);
        const i64 all = next.begin + next.length - weights[first].begin;
        const bool near = gap <= small_gap || 4 * gap <= used + next.length;
        if (gap < 0 || !near || all > most_elements) break;
        used += next.length;
      }
      if (end - first > 1) cast_together(b, compute, weights.items + first, end - first);
    }
  }
  // The node that is the state of slot `slot`, cast; -1: it is cast alone.
  constexpr int of(int slot) const { return slot < lowered_.size() ? lowered_[slot] : -1; }

 private:
  struct Weight {
    i64 begin = 0, length = 0;  // elements of the model's block
    int slot = -1;
    Dims dims;
  };
  // A vector longer than this would be in memory for the sake of products that come much later.
  static constexpr i64 most_elements = i64{1} << 24;
  // What is cast in vain takes less time than a launch.
  static constexpr i64 small_gap = 4096;

  constexpr List<Weight> read_by_products(const ir::Graph& g) {
    List<Weight> weights;
    List<u8> seen(g.slots.size(), 0);
    for (const ir::Node& product : g.nodes) {
      if (!is_lowered(product)) continue;
      for (int k = 0; k < product.arity; ++k) {
        const int x = source_of(g, g.edges[product.first + k]), number = static_cast<int>(g.nodes[x].imm);
        if (g.nodes[x].op != ir::Op::state || seen[number]++) continue;
        const ir::Slot& slot = g.slots[number];
        if (slot.space != ir::Space::model || slot.segments >= 0 || slot.dtype != DType::f32) continue;
        weights.push({slot.offset / 4, g.dims(x).size(), number, g.dims(x)});
      }
    }
    return weights;
  }
  constexpr void cast_together(ir::Builder& b, DType compute, const Weight* weights, int count) {
    const i64 begin = weights[0].begin;
    Dims all;
    all.rank = 1;
    all.extent[0] = weights[count - 1].begin + weights[count - 1].length - begin;
    ir::Slot slot{ir::Space::model, DType::f32};
    slot.shape = b.shape(all);
    slot.offset = begin * 4;
    b.graph.slots.push(slot);
    const ir::Value state{&b,
                          b.leaf(ir::Op::state, DType::f32, all, static_cast<u64>(b.graph.slots.size() - 1))};
    const ir::Value cast = ir::cast(state, compute);
    for (int k = 0; k < count; ++k)
      lowered_[weights[k].slot] = ir::flat_slice(cast, weights[k].begin - begin, weights[k].dims).id;
  }

  List<int> lowered_;
};

}  // namespace WEFT_NAMESPACE::transforms
