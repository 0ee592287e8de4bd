#pragma once
// The gradient of a loop: a loop in the other direction whose body is the gradient of the body. Of what a
// trip computed the forward loop stacks what would be in memory if the trip and its gradient stood in no
// loop; the rest is rematerialized from that and from the carry that entered the trip. Carries of the reverse
// loop: the gradients of the carries, and of invariants. Where an invariant's gradient is a sum over trips of
// products or sums, their operands are stacked instead, and one product or sum over all trips follows.

#include "weft/kernel_ir/collect.hpp"
#include "weft/transforms/differentiate.hpp"
#include "weft/transforms/kept_values.hpp"
#include "weft/transforms/prune.hpp"

namespace WEFT_NAMESPACE::transforms {

class LoopGradient {
 public:
  constexpr LoopGradient(ir::Builder& builder, int loop)
      : b(builder),
        loop_(loop),
        shape_(ir::loop_shape(b.graph, loop)),
        forward_(body_of_loop()),
        r(ir::Graph(forward_)) {
    original_ = r.graph.nodes.size();
    r.lender = &b;
  }

  constexpr List<int> run(const List<int>& results, const List<int>& adjoint, const List<u8>& needed) {
    find_active(needed);
    seeds(results, adjoint);
    List<int> wrt;
    for (int k = 0; k < shape_.operands(); ++k)
      if (active_[k]) wrt.push(body_input(k));
    if (r.graph.key_input >= 0) body_input(r.graph.key_input);
    const List<Value> found = differentiate(r, ys_, seeds_, wrt);
    List<int> operand_gradient(shape_.operands(), -1);
    for (int k = 0, n = 0; k < shape_.operands(); ++k)
      if (active_[k]) operand_gradient[k] = found[n++].id;
    find_saved(operand_gradient);

    // the next carries of the reverse loop
    for (int k = 0; k < shape_.carries; ++k) {
      if (!active_[k]) continue;
      Value next = operand_gradient[k] >= 0 ? Value{&r, operand_gradient[k]} : zeros_like(body_input(k));
      if (history_seed_[k] >= 0) next = next + Value{&r, history_seed_[k]};
      next_.push(next.id);
    }
    // stacked inputs' gradients leave the loop as they are; invariants' are hoisted where that can be
    const int invariants = shape_.carries + shape_.stacked;
    for (int k = shape_.carries; k < shape_.operands(); ++k)
      if (active_[k] && operand_gradient[k] >= 0) {
        if (k < invariants)
          output(operand_gradient[k]);
        else
          plan_total(operand_gradient[k]);
      }
    make_loop();
    List<int> out(shape_.operands(), -1);
    for (int k = 0, n = 0; k < shape_.operands(); ++k) {
      if (!active_[k]) continue;
      if (k < shape_.carries)
        out[k] = ir::loop_final(reverse_, reverse_shape_, n++).id;
      else if (operand_gradient[k] >= 0)
        out[k] = (k < invariants ? stacked(operand_gradient[k]) : total(operand_gradient[k])).id;
      if (!needed[k]) out[k] = -1;
    }
    stack_saved();
    return out;
  }

 private:
  // Of a Stack that is checkpointed the blocks are computed again as they stand (place_biases).
  constexpr ir::Graph body_of_loop() const {
    ir::Graph body = ir::loop_body(b.graph, loop_);
    if (is_checkpointed()) return place_biases(body);
    return body;
  }
  constexpr bool is_checkpointed() const { return b.recomputes && is_stack(); }
  // The body's input for an operand; made where the body does not read it.
  constexpr int body_input(int k) {
    if (r.graph.inputs[k] < 0) {
      const Value x{&b, b.graph.in(loop_, k)};
      const Dims d = x.dims();
      r.graph.inputs[k] =
          r.leaf(Op::input, x.dtype(), shape_.is_stacked(k) ? ir::slice_dims(d) : d, static_cast<u64>(k));
    }
    return r.graph.inputs[k];
  }
  constexpr Value zeros_like(int x) { return ir::constant_like(Value{&r, x}, 0); }

  // Operands through which a gradient may reach one that is needed.
  constexpr void find_active(const List<u8>& needed) {
    active_ = needed;
    for (int k = 0; k < shape_.operands(); ++k)
      if (!is_float(b.graph.nodes[b.graph.in(loop_, k)].dtype)) active_[k] = 0;
    bool changed = true;
    while (changed) {
      changed = false;
      List<u8> reached(original_, 0);
      for (int k = 0; k < shape_.operands(); ++k)
        if (active_[k] && r.graph.inputs[k] >= 0 && r.graph.inputs[k] < original_)
          reached[r.graph.inputs[k]] = 1;
      for (int i = 0; i < original_; ++i)
        if (!reached[i] && passes_gradient(r.graph.nodes[i]))
          for (int a = 0; a < r.graph.nodes[i].arity; ++a)
            if (reached[r.graph.in(i, a)]) reached[i] = 1;
      for (int k = 0; k < shape_.carries; ++k)
        if (!active_[k] && reached[r.graph.outputs[k]] && is_float(r.graph.nodes[r.graph.outputs[k]].dtype))
          active_[k] = 1, changed = true;
    }
  }

  // An input of the reverse body that stands for a slice of `from`, a node of the enclosing graph.
  struct Slice {
    int input = -1;  // node in r
    int from = -1;   // node in b
  };
  constexpr int slice_of(int from) {
    for (const Slice& s : slices_)
      if (s.from == from) return s.input;
    const Value x{&b, from};
    const int made = r.leaf(Op::input, x.dtype(), ir::slice_dims(x.dims()), fresh_++);
    slices_.push({made, from});
    return made;
  }

  // What flows back into the body: the gradients of the next carries and of the stacked outputs.
  constexpr void seeds(const List<int>& results, const List<int>& adjoint) {
    const int carries = shape_.carries;
    initial_ = List<int>(carries, -1);
    history_seed_ = List<int>(carries, -1);
    const auto enter = [&](int carry, Value g) {
      initial_[carry] = initial_[carry] < 0 ? g.id : (Value{&b, initial_[carry]} + g).id;
    };
    for (int i = 0; i < results.size(); ++i) {
      const int which = static_cast<int>(b.graph.nodes[results[i]].imm);
      const Value g{&b, adjoint[i]};
      if (which >= 2 * carries) {
        ys_.push(r.graph.outputs[carries + which - 2 * carries]);
        seeds_.push(slice_of(g.id));
      } else if (!active_[which % carries]) {
        continue;
      } else if (which < carries) {
        enter(which, g);
      } else {
        const int k = which - carries;
        const Value last = ir::rows(g, shape_.last_row(), 1);
        enter(k, ir::reshape(last, ir::slice_dims(g.dims())));
        history_seed_[k] = slice_of(ir::rows(g, shape_.read_from(), shape_.trips).id);
      }
    }
    for (int k = 0; k < carries; ++k) {
      if (!active_[k]) continue;
      const Value x{&b, b.graph.in(loop_, k)};
      if (initial_[k] < 0) initial_[k] = ir::constant_like(x, 0).id;
      const int carried = r.leaf(Op::input, x.dtype(), x.dims(), fresh_++);
      carried_.push(carried);
      ys_.push(r.graph.outputs[k]);
      seeds_.push(carried);
    }
  }

  // A value of the reverse body that leaves it stacked.
  constexpr void output(int node) {
    if (is_stacked_already(node)) return;
    for (int x : outputs_)
      if (x == node) return;
    outputs_.push(node);
  }
  // Whether the enclosing graph has the stack of `node` already: a stacked operand, a carry, something saved.
  constexpr bool is_stacked_already(int node) const {
    for (const Slice& s : slices_)
      if (s.input == node) return true;
    if (node >= original_) return false;
    const ir::Node& n = r.graph.nodes[node];
    return (n.op == Op::input && static_cast<int>(n.imm) < shape_.carries + shape_.stacked) || is_saved(node);
  }
  constexpr bool is_saved(int node) const { return node < original_ && saved_[node] != 0; }
  // Whether the trips are the blocks of a Stack: they work on slices of state.
  constexpr bool is_stack() const {
    for (int k = shape_.carries; k < shape_.carries + shape_.stacked; ++k) {
      int x = b.graph.in(loop_, k);
      while (b.graph.nodes[x].op == Op::cast || b.graph.nodes[x].op == Op::reshape) x = b.graph.in(x, 0);
      if (b.graph.nodes[x].op == Op::state) return true;
    }
    return false;
  }
  // What kernels store of one trip and its gradient.
  constexpr void find_saved(const List<int>& gradients) {
    if (is_checkpointed()) {
      body_changed_ = true;  // its biases are placed
      saved_ = kept_values(r.graph, original_, b.keeps);
      for (int i = 0; i < original_; ++i) saved_[i] = saved_[i] && is_stackable(i);
      return;
    }
    saved_ = List<u8>(original_, 0);
    ir::Graph joint = r.graph;
    for (int x : gradients)
      if (x >= 0) joint.outputs.push(x);
    List<int> where;
    const ir::Graph trip = drop_unused(joint, where);
    const kernel_ir::Fusion fusion = kernel_ir::fuse(trip);
    List<u8> stored(trip.nodes.size(), 0);
    for (const kernel_ir::Kernel& kernel : fusion.kernels)
      for (int i = 0; i < kernel.stores.size; ++i) stored[fusion.pool[kernel.stores.begin + i]] = 1;
    for (int i = 0; i < original_; ++i) saved_[i] = where[i] >= 0 && stored[where[i]] && is_stackable(i);
    if (b.rounds_products) save_products();
  }
  // A product that will have 16 bits is kept in place of its sum with a bias, which has 32.
  constexpr void save_products() {
    for (int i = 0; i < original_; ++i) {
      const ir::Node& sum = r.graph.nodes[i];
      if (!saved_[i] || sum.op != Op::add || sum.dtype != DType::f32) continue;
      for (int k = 0; k < 2; ++k) {
        const int product = r.graph.in(i, k);
        const Op op = r.graph.nodes[product].op;
        if ((op != Op::dot && op != Op::conv) || !is_bias(r.graph.in(i, 1 - k))) continue;
        saved_[i] = 0;
        saved_[product] = 1;
      }
    }
  }
  // Whether a node repeats what the loop is given; a residual does not, and is added to the product's f32
  // sums.
  constexpr bool is_bias(int node) const {
    if (r.graph.nodes[node].op != Op::broadcast) return false;
    while (r.graph.nodes[node].op == Op::broadcast || r.graph.nodes[node].op == Op::reshape)
      node = r.graph.in(node, 0);
    return r.graph.nodes[node].op == Op::input;
  }

  // ---- an invariant's gradient, a sum over the trips ----
  // The sum goes through what is linear in one operand.
  constexpr bool is_linear(int node) const {
    const ir::Node& n = r.graph.nodes[node];
    const bool zeros = n.op == Op::pad && ir::constant_value(n.dtype, n.imm) == 0;
    return node >= original_ &&
           (n.op == Op::neg || n.op == Op::reshape || n.op == Op::permute || n.op == Op::broadcast || zeros);
  }
  constexpr bool is_stackable(int node) const { return r.graph.dims(node).rank < max_rank; }
  constexpr bool is_product(int node) const {
    const ir::Node& n = r.graph.nodes[node];
    if (node < original_) return false;
    if (n.op == Op::dot || n.op == Op::scatter_add)
      return is_stackable(r.graph.in(node, 0)) && is_stackable(r.graph.in(node, 1));
    return n.op == Op::reduce_sum && is_stackable(r.graph.in(node, 0));
  }
  constexpr void plan_total(int node) {
    const ir::Node n = r.graph.nodes[node];
    if (n.op == Op::add && node >= original_) {
      plan_total(r.graph.in(node, 0));
      plan_total(r.graph.in(node, 1));
    } else if (is_linear(node)) {
      plan_total(r.graph.in(node, 0));
    } else if (is_product(node)) {
      for (int k = 0; k < n.arity; ++k) output(r.graph.in(node, k));
    } else {
      for (const Slice& s : sums_)
        if (s.from == node) return;
      const int input = r.leaf(Op::input, n.dtype, Dims(r.graph.dims(node)), fresh_++);
      sums_.push({input, node});
    }
  }
  constexpr Value total(int node) {
    const ir::Node n = r.graph.nodes[node];
    if (n.op == Op::add && node >= original_) {
      const Value x = total(r.graph.in(node, 0)), y = total(r.graph.in(node, 1));
      return x + y;
    }
    if (is_linear(node)) {
      const Value x = total(r.graph.in(node, 0));
      const i64* list = n.list < 0 ? nullptr : r.graph.list_data.data() + r.graph.lists[n.list].begin;
      const Dims d = r.graph.dims(node);
      if (n.op == Op::neg) return -x;
      if (n.op == Op::reshape) return ir::reshape(x, d);
      if (n.op == Op::broadcast) return ir::broadcast(x, d);
      if (n.op == Op::permute) return ir::permute(x, list);
      return ir::pad(x, list, 0);
    }
    if (!is_product(node)) {
      for (int k = 0; k < sums_.size(); ++k)
        if (sums_[k].from == node) return ir::loop_final(reverse_, reverse_shape_, carried_.size() + k);
    }
    if (n.op == Op::reduce_sum) {
      ir::Axes axes = 1;
      for (int k = 0; k < r.graph.attributes(node); ++k) axes |= 2u << r.graph.attribute(node, k);
      const Value x = stacked(r.graph.in(node, 0));
      return ir::reshape(ir::reduce(Op::reduce_sum, x, axes), Dims(r.graph.dims(node)));
    }
    const Value x = stacked(r.graph.in(node, 0)), y = stacked(r.graph.in(node, 1));
    if (n.op == Op::scatter_add) return ir::scatter_add(x, y, r.graph.dims(node).extent[0]);
    const ir::DotAxes one = ir::dot_axes(r.graph, node);
    ir::DotAxes all;
    all.batch = one.batch;
    all.contracted = one.contracted + 1;
    for (int k = 0; k < one.batch; ++k)
      all.batch_a[k] = one.batch_a[k] + 1, all.batch_b[k] = one.batch_b[k] + 1;
    for (int k = 0; k < one.contracted; ++k)
      all.contracted_a[k + 1] = one.contracted_a[k] + 1, all.contracted_b[k + 1] = one.contracted_b[k] + 1;
    return ir::dot(x, y, all, n.dtype, n.imm);
  }

  // ---- stacks in the enclosing graph ----
  // What stacks a value of the forward body or of the reverse one.
  constexpr Value stacked(int node) {
    for (const Slice& s : slices_)
      if (s.input == node) return {&b, s.from};
    if (node < original_ && r.graph.nodes[node].op == Op::input) {
      const int k = static_cast<int>(r.graph.nodes[node].imm);
      if (shape_.is_stacked(k)) return {&b, b.graph.in(loop_, k)};
      if (k < shape_.carries) return carried_in(k);
    }
    if (is_saved(node)) return saved(node);
    int k = 0;
    while (outputs_[k] != node) ++k;
    return ir::loop_result(reverse_, reverse_shape_.output(k), r.graph.nodes[node].dtype,
                           ir::stacked_dims(shape_.trips, r.graph.dims(node)));
  }
  constexpr Value carried_in(int k) {
    const Value history = ir::loop_history({&b, loop_}, shape_, k);
    return ir::rows(history, shape_.read_from(), shape_.trips);
  }
  // Node `node` of the forward body, stacked by the forward loop: one more output of it.
  constexpr Value saved(int node) {
    int k = 0;
    while (k < shape_.outputs && forward_.outputs[shape_.carries + k] != node) ++k;
    if (k == shape_.outputs) {
      forward_.outputs.push(node);
      ++shape_.outputs;
      body_changed_ = true;
    }
    return ir::loop_result({&b, loop_}, shape_.output(k), r.graph.nodes[node].dtype,
                           ir::stacked_dims(shape_.trips, r.graph.dims(node)));
  }

  // Has the forward loop stack what saved() asked for.
  constexpr void stack_saved() {
    if (!body_changed_) return;
    const int body = ir::add_body(b.graph, forward_), list = ir::loop_list(b, shape_);
    b.graph.nodes[loop_].imm = static_cast<u64>(body);
    b.graph.nodes[loop_].list = list;
  }

  // ---- the reverse loop ----
  constexpr void make_loop() {
    List<int> results = next_;
    for (const Slice& s : sums_) results.push((Value{&r, s.input} + Value{&r, s.from}).id);
    for (int x : outputs_) results.push(x);
    // what the results need, cut where the forward loop has it
    const int n = r.graph.nodes.size();
    List<u8> live(n, 0);
    for (int x : results) live[x] = 1;
    bool draws = false;
    for (int i = n - 1; i >= 0; --i) {
      if (!live[i] || is_saved(i)) continue;
      const ir::Node& node = r.graph.nodes[i];
      draws = draws || node.op == Op::random;
      for (int k = 0; k < node.arity; ++k) live[r.graph.edges[node.first + k]] = 1;
    }
    ir::Builder made(2 * n);
    made.graph.is_body = true;
    made.graph.biases_placed = r.graph.biases_placed;
    made.graph.scalar_count = r.graph.scalar_count;
    made.graph.streams = r.graph.streams;
    made.graph.bodies = r.graph.bodies;
    made.graph.body_words = r.graph.body_words;
    for (const Dims& d : r.graph.shapes) made.shape(d);
    for (const ir::Span& span : r.graph.lists) made.list(r.graph.list_data.data() + span.begin, span.size);
    List<int> moved(n, -1), operands, invariants;
    const auto input = [&](int node, int operand) {
      const Dims d = r.graph.dims(node);
      moved[node] = made.leaf(Op::input, r.graph.nodes[node].dtype, d, static_cast<u64>(operands.size()));
      made.graph.inputs.push(moved[node]);
      operands.push(operand);
    };
    ir::LoopShape& s = reverse_shape_;
    s.trips = shape_.trips;
    s.reverse = !shape_.reverse;
    for (int k = 0, c = 0; k < shape_.carries; ++k)
      if (active_[k]) input(carried_[c++], initial_[k]);
    for (const Slice& sum : sums_)
      input(sum.input, ir::constant(b, r.graph.nodes[sum.input].dtype, Dims(r.graph.dims(sum.input)), 0).id);
    s.carries = operands.size();
    for (const Slice& slice : slices_)
      if (live[slice.input]) input(slice.input, slice.from);
    const int key = r.graph.key_input;
    if (draws) {
      made.graph.key_input = operands.size();
      input(body_input(key), b.graph.in(loop_, key));
    }
    for (int i = 0; i < original_; ++i) {
      if (!live[i] || moved[i] >= 0) continue;
      const ir::Node& node = r.graph.nodes[i];
      if (node.op == Op::input) {
        const int k = static_cast<int>(node.imm);
        if (k < shape_.carries)
          input(i, carried_in(k).id);
        else if (shape_.is_stacked(k))
          input(i, b.graph.in(loop_, k));
        else
          invariants.push(i);
      } else if (is_saved(i)) {
        input(i, saved(i).id);
      }
    }
    s.stacked = operands.size() - s.carries;
    for (int i : invariants) input(i, b.graph.in(loop_, static_cast<int>(r.graph.nodes[i].imm)));
    s.invariants = invariants.size();
    List<int> in;
    for (int i = 0; i < n; ++i) {
      if (!live[i] || moved[i] >= 0) continue;
      in.clear();
      const ir::Node& node = r.graph.nodes[i];
      for (int k = 0; k < node.arity; ++k) in.push(moved[r.graph.edges[node.first + k]]);
      moved[i] = made.add(node, in.data(), in.size());
    }
    for (int x : results) made.graph.outputs.push(moved[x]);
    s.outputs = outputs_.size();
    reverse_ = ir::loop(b, s, made.graph, operands);
  }

  ir::Builder& b;
  int loop_;
  ir::LoopShape shape_;
  ir::Graph forward_;          // the body
  bool body_changed_ = false;  // from the loop's
  ir::Builder r;               // the body, and after it its gradient
  int original_ = 0;
  u64 fresh_ = 1u << 20;  // numbers of inputs that the body does not have
  List<u8> active_, saved_;
  List<int> ys_, seeds_, initial_, history_seed_, carried_, next_, outputs_;
  List<Slice> slices_, sums_;
  ir::LoopShape reverse_shape_;
  Value reverse_;
};

constexpr List<int> loop_gradient(ir::Builder& b, int loop, const List<int>& results,
                                  const List<int>& adjoint, const List<u8>& needed) {
  return LoopGradient(b, loop).run(results, adjoint, needed);
}

}  // namespace WEFT_NAMESPACE::transforms
