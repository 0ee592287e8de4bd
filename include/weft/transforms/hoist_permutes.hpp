#pragma once
// A permutation of what is computed element by element, taken before the computation where its result would
// be copied behind it: the kernel then writes in the order that is wanted. Gradients of the queries, keys and
// values that one layer made are put together so. Law: every value is the same, each at its place.

#include "weft/kernel_ir/views.hpp"

namespace WEFT_NAMESPACE::transforms {

class PermuteHoisting {
 public:
  // `uses`: how often each node is read for what is wanted; of those that are computed in another order
  // alone, `live` is taken back.
  constexpr PermuteHoisting(const ir::Graph& g, List<int>& uses, List<u8>& live) : g_(g), uses_(uses) {
    const ir::Node* const nodes = g.nodes.data();
    const int n = g.nodes.size();
    for (int i = 0; i < n; ++i) {
      if (nodes[i].op != ir::Op::reshape || !live.items[i]) continue;
      const int p = g.edges.items[nodes[i].first];
      if (nodes[p].op != ir::Op::permute || hoists(p) || !is_copied(p, i)) continue;
      const int x = g.in(p, 0);
      if (!is_computed(x) || !is_movable(x)) continue;
      if (hoisted_.empty()) hoisted_ = List<u8>(n, 0);
      hoisted_.items[p] = 1;
      leave(x, live);
    }
  }

  // Whether permutation p is taken before what it permutes.
  constexpr bool hoists(int p) const { return !hoisted_.empty() && hoisted_.items[p] != 0; }

  // What stands for it in b, where moved[i] stands for node i.
  constexpr int hoisted(ir::Builder& b, const int* moved, int p) const {
    i64 order[8]{};
    for (int k = 0; k < g_.dims(p).rank; ++k) order[k] = g_.attribute(p, k);
    return in_order(b, moved, g_.in(p, 0), order).id;
  }

 private:
  using Op = ir::Op;

  // Whether rows stay whole, and reader i reshapes what no view reshapes.
  constexpr bool is_copied(int p, int i) const {
    const Dims from = g_.dims(g_.in(p, 0)), to = g_.dims(p);
    if (g_.attribute(p, to.rank - 1) != to.rank - 1) return false;
    kernel_ir::View v = kernel_ir::contiguous_view(g_.in(p, 0), from);
    return kernel_ir::apply_movement(g_, p, v) && !kernel_ir::reshape_view(v, to, g_.dims(i));
  }
  // Element by element, and for one reader only.
  constexpr bool is_computed(int i) const {
    const Op op = g_.nodes.items[i].op;
    return (ir::is_pointwise(op) || op == Op::pad) && uses_.items[i] == 1;
  }
  constexpr bool is_movable(int i) const {
    if (!is_computed(i)) return g_.nodes.items[i].op == Op::constant || is_in_memory(i);
    const ir::Node& n = g_.nodes.items[i];
    for (int k = 0; k < n.arity; ++k)
      if (!is_movable(g_.edges.items[n.first + k])) return false;
    return true;
  }
  // Read from memory where it lies: a view of what was given, or of what a kernel of its own has made.
  constexpr bool is_in_memory(int i) const {
    kernel_ir::View v;
    return view_of(i, v);
  }
  constexpr bool view_of(int i, kernel_ir::View& v) const {
    const ir::Node& n = g_.nodes.items[i];
    if (n.op == Op::input || n.op == Op::state || n.op == Op::result) {
      v = kernel_ir::contiguous_view(i, g_.dims(i));
      return true;
    }
    return ir::is_movement(n.op) && n.op != Op::pad && n.arity == 1 && view_of(g_.edges.items[n.first], v) &&
           kernel_ir::apply_movement(g_, i, v);
  }

  // The computation of i itself is not needed, nor are constants that nothing else reads.
  constexpr void leave(int i, List<u8>& live) {
    const ir::Node& n = g_.nodes.items[i];
    if (n.op == Op::constant) {
      if (--uses_.items[i] == 0) live.items[i] = 0;
    } else if (is_computed(i)) {
      live.items[i] = 0;
      for (int k = 0; k < n.arity; ++k) leave(g_.edges.items[n.first + k], live);
    }
  }
  constexpr ir::Value in_order(ir::Builder& b, const int* moved, int i, const i64* order) const {
    ir::Node n = g_.nodes.items[i];
    if (n.op == Op::constant)
      return {&b, b.constant(n.dtype, b.shape(ir::permuted(g_.dims(i), order)), n.imm)};
    if (!is_computed(i))  // over what stands there, which is used so, whatever the two would be together
      return ir::raw(Op::permute, n.dtype, b.shape(ir::permuted(g_.dims(i), order)), 0,
                     b.list(order, g_.dims(i).rank), {&b, moved[i]});
    if (n.op == Op::cast && g_.nodes.items[g_.in(i, 0)].dtype == n.dtype)  // a variable of grad
      return in_order(b, moved, g_.in(i, 0), order);
    if (n.op == Op::pad) {
      const int rank = g_.dims(i).rank;
      i64 low_high[16]{};
      for (int k = 0; k < 2 * rank; ++k)
        low_high[k] = g_.attribute(i, 2 * static_cast<int>(order[k / 2]) + k % 2);
      return ir::pad(in_order(b, moved, g_.in(i, 0), order), low_high, ir::constant_value(n.dtype, n.imm));
    }
    List<int> operands;
    for (int k = 0; k < n.arity; ++k) operands.push(in_order(b, moved, g_.in(i, k), order).id);
    n.shape = b.shape(ir::permuted(g_.dims(i), order));
    return {&b, b.add(n, operands.data(), n.arity)};
  }

  const ir::Graph& g_;
  List<int>& uses_;
  List<u8> hoisted_;
};

}  // namespace WEFT_NAMESPACE::transforms
