#pragma once
// Fusion: cuts the graph into kernels, in execution order.
//
// Kernel numbers are that order: a node may join any kernel not earlier than the kernels of its operands, so
// the order is legal by construction and one sweep suffices. A fused kernel iterates over one space, cut at
// `split` into rows and columns; its members have the extents of the space, or those of a row (columns
// reduced), and reductions go along the columns (usable at once), along the rows, or over everything (usable
// by later kernels). What crosses kernels is stored, unless rematerializing it from what is in memory anyway
// is cheap.

#include "weft/ir/dynamic_slice.hpp"
#include "weft/kernel_ir/along_axis.hpp"
#include "weft/kernel_ir/clustering.hpp"
#include "weft/kernel_ir/dot_problem.hpp"
#include "weft/kernel_ir/epilogue.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

class Fuser : ClusteringState {
 public:
  constexpr Fuser(const Graph& graph, Clustering& clustering, FuseLimits limits = {},
                  const int* tight = nullptr)
      : ClusteringState(graph, clustering, limits, tight) {
    wanted_ = List<u8>(g.nodes.size(), 0);
    uses_ = List<int>(g.nodes.size(), 0);
    int* uses = uses_.data();
    for (int x : g.edges) ++uses[x];
    // what has no elements is not computed
    for (int node : g.outputs)
      if (g.dims(node).size() > 0) wanted_[node] |= 1;
    for (const ir::Assign& a : g.assigns)
      if (g.dims(a.node).size() > 0) wanted_[a.node] |= assigned;
  }

  // Places at most `nodes` more nodes.
  constexpr void run(int nodes) {
    const int count = g.nodes.size(), end = nodes < count - s.next ? s.next + nodes : count;
    for (int i = s.next; i < end; ++i) {
      const Node& n = nodes_[i];
      if (may_defer(n.op) && is_deferred(i)) {
        materialization_[i] = Materialization::deferred;
        continue;
      }
      for (int k = n.first; k < n.first + n.arity; ++k)
        if (materialization_[edges_[k]] == Materialization::deferred) settle(edges_[k]);
      enter(i);
    }
    s.next = end;
    if (end < count) return;
    for (int i = 0; i < count; ++i)
      if (materialization_[i] == Materialization::deferred) settle(i);
    // last, so that state which is read before it is written can be written where it lives
    for (int i : s.deferred_outputs)
      if (materialization_[i] == Materialization::inlined) want(i);
  }

 private:
  // ---- one node at a time ----
  constexpr void enter(int i) {
    classify(i);
    if (!wanted_.items[i]) return;
    if (materialization_[i] == Materialization::inlined)
      s.deferred_outputs.push(i);
    else
      want(i);
  }

  constexpr void settle(int x) {
    const int of = edges_[nodes_[x].first];
    if (materialization_[of] == Materialization::deferred) settle(of);
    materialization_[x] = Materialization::leaf;
    enter(x);
  }

  constexpr void classify(int i) {
    const Node& n = nodes_[i];
    const int* in = edges_ + n.first;
    switch (n.op) {
      case Op::input:
      case Op::state:
      case Op::scalar:
        stored_[i] = 1;
        return;
      case Op::constant:
      case Op::iota:
      case Op::random:
        materialization_[i] = Materialization::generator;
        streams_[i] = n.op == Op::random ? 1 : 0;
        return;
      case Op::broadcast:
        materialization_[i] = materialization_[in[0]];
        if (materialization_[i] != Materialization::generator) materialization_[i] = Materialization::view;
        min_kernel_[i] = min_kernel_[in[0]];
        if (materialization_[i] == Materialization::generator) streams_[i] = streams_[in[0]];
        return;
      case Op::reshape:
      case Op::permute:
      case Op::slice:
      case Op::flat_slice:
      case Op::add_dependency:
        make_view(i, in[0]);
        // a value that any kernel may make has to be made once for this
        if (n.op == Op::add_dependency && materialization_[in[1]] != Materialization::generator)
          min_kernel_[i] = max(min_kernel_[i], after_memory(view_root(in[1])));
        return;
      case Op::result:  // in memory once the region has run
        materialization_[i] = Materialization::opaque;
        stored_[i] = 1;
        kernel_of_[i] = kernel_of_[in[0]];
        min_kernel_[i] = kernel_of_[i] + 1;
        return;
      case Op::dot:
        join_contracted(i);
        join_free(i);
        set_apart(i, Walk::strided);
        return;
      case Op::conv:
        set_apart(i, Walk::strided);
        return;
      case Op::loop:
      case Op::attention:
      case Op::attention_gradient:
        set_apart(i, n.op == Op::loop ? Walk::contiguous : Walk::strided);
        stored_[i] = 0;  // its results are
        return;
      case Op::take_rows:
      case Op::custom:
      case Op::group_collective:
      case Op::scatter_add:
        set_apart(i, Walk::contiguous);
        return;
      case Op::scan:
      case Op::argsort:
      case Op::take_along_axis:
      case Op::scatter_reduce:
      case Op::searchsorted:
        set_apart(i, Walk::line, ir::axis_of(g, i));
        return;
      case Op::dynamic_slice:
      case Op::dynamic_update_slice:
        set_apart(i, Walk::block);
        return;
      case Op::flat_concat: {
        int after = 0;
        for (int k = 0; k < n.arity; ++k) after = max(after, after_memory(contiguous_root(in[k])));
        materialization_[i] = Materialization::arena;
        stored_[i] = 1;
        min_kernel_[i] = after;
        return;
      }
      default:
        if (ir::is_collective(n.op)) return set_apart(i, Walk::contiguous);
        break;
    }
    if (n.op == Op::add && (absorb(i, in[0], in[1]) || absorb(i, in[1], in[0]))) return;
    if (ir::is_pointwise(n.op)) {
      bool generated = true, from_leaves = true;
      int at = 0, cost = ir::info(n.op).cost, leaves = 0, streams = 0;
      for (int k = 0; k < n.arity; ++k) {
        generated = generated && materialization_[in[k]] == Materialization::generator;
        at = max(at, min_kernel_[in[k]]);
        const int x = through_broadcasts(in[k]);
        cost += remat_cost_[x];
        leaves += leaves_of(x);
        streams += streams_of(x);
        from_leaves = from_leaves && (remat_cost_[x] > 0 ||
                                      materialization_[x] == Materialization::generator || reads_leaf(x));
      }
      min_kernel_[i] = at;
      const bool again = streams <= limits_.streams;  // may it be made wherever it is read
      if (generated && again && reuse_.is_worth_storing(i, made_again_cost(i))) {
        place(i);
        stored_[i] = 1;
        return;
      }
      if (generated && again) {
        materialization_[i] = Materialization::generator;
        streams_[i] = streams;
        return;
      }
      if (from_leaves && again && cost <= limits_.from_leaves &&
          !reuse_.is_worth_storing(i, made_again_cost(i))) {
        materialization_[i] = Materialization::inlined;
        remat_cost_[i] = cost + 1;
        leaves_[i] = leaves;
        streams_[i] = streams;
        leaf_[i] = memory_node(in[0]);
        for (int k = 1; k < n.arity; ++k) leaf_[i] = leaf_for(leaf_[i], memory_node(in[k]));
        return;
      }
      if (shapes_[nodes_[i].shape].size() == 1 && leaves <= limits_.leaves && again && !reads_gathered(n)) {
        materialization_[i] = Materialization::inlined;
        leaves_[i] = leaves;
        streams_[i] = streams;
        for (int k = 0; k < n.arity; ++k) need(in[k]);
        return;
      }
    }
    if (n.op == Op::pad) {
      const int root = view_root(in[0]);
      min_kernel_[i] = after_memory(root);
    }
    place(i);
  }

  // Whether an operand is of what is gathered for those who read it now, and is not to be kept for others.
  constexpr bool reads_gathered(const Node& n) const {
    for (int k = n.first; k < n.first + n.arity; ++k)
      if (nodes_[memory_node(edges_[k])].op == Op::all_gather_done) return true;
    return false;
  }

  // Node i has a kernel of its own, over its operands' memory: with a stride an axis, as one run, or along
  // `axis`, before and behind it; as a block (of dynamic_slice, or what dynamic_update_slice writes) with a
  // stride an axis, what it is written into and its offsets as one run. That may copy operands, whose kernels
  // come first: only then is it known which kernel reads them.
  enum class Walk : u8 { strided, contiguous, line, block };
  constexpr void set_apart(int i, Walk walk, int axis = 0) {
    const int* const in = edges_ + nodes_[i].first;
    roots_.clear();
    const int block = walk == Walk::block ? ir::block_operands(nodes_[i].op) - 1 : -1;
    for (int k = 0; k < nodes_[i].arity; ++k)
      roots_.push(walk == Walk::strided || k == block ? view_root(in[k])
                  : walk == Walk::line                ? line_root(in[k], axis)
                                                      : contiguous_root(in[k]));
    materialization_[i] = Materialization::opaque;
    stored_[i] = 1;
    kernel_of_[i] = new_kernel(i);
    min_kernel_[i] = kernel_of_[i] + 1;
    for (const int x : roots_) read_by(kernel_of_[i], x);
  }

  constexpr void make_view(int i, int x) {
    View v = resolve(x);
    if (!apply_movement(g, i, v)) {
      copy(x);
      v = contiguous_view(x, shapes_[nodes_[x].shape]);
      apply_movement(g, i, v);
    }
    materialization_[i] = Materialization::view;
    view_of_[i] = f.views.size();
    f.views.push(v);
    min_kernel_[i] = max(after_memory(v.root), min_kernel_[x]);
  }

  // x's memory as a strided view; what must be in memory for that is stored.
  constexpr View resolve(int x) {
    if (materialization_[x] == Materialization::view) {
      if (view_of_[x] >= 0) return f.views[view_of_[x]];
      View v = resolve(edges_[nodes_[x].first + 0]);  // a broadcast
      apply_movement(g, x, v);
      view_of_[x] = f.views.size();
      f.views.push(v);
      return v;
    }
    if (materialization_[x] == Materialization::generator || materialization_[x] == Materialization::inlined)
      copy(x);
    store(x);
    return contiguous_view(x, shapes_[nodes_[x].shape]);
  }
  constexpr int view_root(int x) { return resolve(x).root; }
  // As view_root, but x itself is made contiguous.
  constexpr int contiguous_root(int x) {
    const View v = resolve(x);
    if (v.root != x && !is_contiguous(v, shapes_[nodes_[x].shape])) {
      copy(x);
      return x;
    }
    return v.root;
  }

  // Node i adds x to `sum`: in the kernel of the product that makes `sum`, if nothing else reads that, and x
  // is in memory when it runs.
  constexpr bool absorb(int i, int sum, int x) {
    const int at = kernel_of_[sum];
    if (materialization_[sum] != Materialization::opaque || uses_[sum] != 1 || wanted_[sum] ||
        nodes_[i].dtype != DType::f32)
      return false;
    Kernel& kernel = f.kernels[at];
    if (nodes_[kernel.opaque].op != Op::dot || kernel.bias >= 0) return false;
    const int base = through_broadcasts(x);
    if (materialization_[base] == Materialization::generator) return false;
    if (materialization_[base] == Materialization::inlined && !(is_bias(kernel, x, at) && make_early(base)))
      return false;
    const int root = memory_node(x);
    if (after_memory(root) > at || min_kernel_[x] > at) return false;
    // state that is updated by what is added to it is rather written where it lives
    if ((wanted_[i] & assigned) && nodes_[root].op == Op::state) return false;
    const View v = view_of_memory(x);
    const Dims& d = shapes_[nodes_[i].shape];
    if (kernel.added < 0 && is_contiguous(v, d)) {
      kernel.added = x;
    } else {
      if (!is_bias(kernel, x, at)) return false;
      kernel.bias = x;
    }
    resolve(x);
    if (reader_[root] < at) reader_[root] = at;
    stored_[sum] = 0;
    kernel.result = i;
    materialization_[i] = Materialization::opaque;
    stored_[i] = 1;
    kernel_of_[i] = at;
    min_kernel_[i] = at + 1;
    return true;
  }
  // Stores x, arithmetic on leaves, before everything else, in one kernel with others of its shape.
  constexpr bool make_early(int x) {
    constexpr int most_kernels = 2, most_weight = 16;
    if (remat_cost_[x] == 0 || walk_of(x) >= 0) return false;
    const int shape = nodes_[x].shape;
    int at = 0;
    while (at < s.reserved_used &&
           (f.kernels[at].shape != shape || f.kernels[at].mixed || f.kernels[at].weight >= most_weight))
      ++at;
    if (at == s.reserved_used) {
      if (at >= most_kernels) return false;
      ++s.reserved_used;
      f.kernels[at].space = shapes_[shape];
      f.kernels[at].shape = shape;
    }
    add_member(at, x);
    materialization_[x] = Materialization::fused;
    remat_cost_[x] = 0;
    min_kernel_[x] = at;
    stored_[x] = 1;
    for (int k = nodes_[x].first; k < nodes_[x].first + nodes_[x].arity; ++k)
      read_by(at, memory_node(edges_[k]));
    return true;
  }
  // As view_root, but x can be walked along the axis, before it and behind it with one stride each.
  constexpr int line_root(int x, int axis) {
    const View v = resolve(x);
    if (v.root == x || axis_strides(v, shapes_[nodes_[x].shape], axis).ok) return v.root;
    copy(x);
    return x;
  }

  // A product walks all its contracted axes with one stride; an operand that cannot is copied.
  constexpr void join_contracted(int i) {
    const ir::DotAxes axes = ir::dot_axes(g, i);
    for (int k = 0; k < 2; ++k) {
      const int x = edges_[nodes_[i].first + k];
      const View v = resolve(x);
      const Dims& d = shapes_[nodes_[x].shape];
      const int* contracted = k == 0 ? axes.contracted_a : axes.contracted_b;
      bool joined = true;
      for (int c = axes.contracted - 1, inner = -1; c >= 0; --c) {
        const int axis = contracted[c];
        if (d.extent[axis] == 1) continue;
        joined = joined && (inner < 0 || v.stride[axis] == v.stride[inner] * d.extent[inner]);
        inner = axis;
      }
      if (!joined && v.root != x) copy(x);
    }
  }

  // A product has few batch axes: where too many are left, its operands are copied into their order, whose
  // axes are one run each.
  constexpr void join_free(int i) {
    if (shapes_[nodes_[i].shape].rank < 5) return;
    const int* const in = edges_ + nodes_[i].first;
    for (int k = 0; k < 2; ++k) {
      if (dot_problem(g, i, resolve(in[0]), resolve(in[1])).ok) return;
      contiguous_root(in[k]);
    }
  }

  // Gives x a kernel that stores it in row-major order.
  constexpr void copy(int x) {
    if (materialization_[x] == Materialization::fused) return;
    materialization_[x] = Materialization::fused;
    place(x);
    store(x);
  }
  // x will be in memory.
  constexpr void store(int x) {
    if (!stored_[x] && kernel_of_[x] >= 0) ++f.kernels[kernel_of_[x]].operands;
    stored_[x] = 1;
  }

  // An output or an assigned value: must have contiguous memory of its own.
  constexpr void want(int x) {
    if (materialization_[x] == Materialization::leaf || materialization_[x] == Materialization::generator ||
        materialization_[x] == Materialization::inlined) {
      copy(x);
    } else if (materialization_[x] == Materialization::view) {
      const View v = resolve(x);
      const bool computed = materialization_[v.root] == Materialization::fused ||
                            materialization_[v.root] == Materialization::opaque;
      if (!computed || !is_contiguous(v, shapes_[nodes_[x].shape])) copy(x);
    }
    if (materialization_[x] != Materialization::view) store(x);
  }

  // A value that single-element arithmetic reads: it must be in memory, as any kernel may make that again.
  constexpr void need(int x) {
    if (materialization_[x] == Materialization::fused)
      store(x), min_kernel_[x] = max(min_kernel_[x], kernel_of_[x] + 1);
    if (materialization_[x] == Materialization::view && nodes_[x].op == Op::broadcast)
      need(edges_[nodes_[x].first + 0]);
  }

  // Puts a pointwise node, a copy or a reduction into the best kernel, or a new one.
  constexpr void place(int i) {
    const Node& n = nodes_[i];
    const bool reduces = ir::is_reduction(n.op);
    const int shape = reduces ? nodes_[edges_[n.first]].shape : n.shape;
    const Dims& d = shapes_[shape];
    materialization_[i] = Materialization::fused;
    Reduction r;
    if (reduces) r = reduction_of(g, i);
    int least = 0;
    const int operands = view_of_[i] >= 0 || n.op == Op::pad ? 0 : n.arity;
    if (operands == 0) least = min_kernel_[i];
    if (view_of_[i] >= 0) least = max(least, after_memory(f.views[view_of_[i]].root));
    for (int k = 0; k < operands; ++k) least = max(least, min_kernel_[edges_[nodes_[i].first + k]]);
    if (r.middle_axis) {
      // reduced axes that are neither the first nor the last: a kernel of its own over a view
      const int x = edges_[nodes_[i].first + 0], root = view_root(x);
      least = max(after_memory(root), min_kernel_[x]);
    }
    int best = -1;
    int memory[3]{};
    for (int k = 0; k < n.arity; ++k) memory[k] = memory_node(edges_[n.first + k]);
    if (!r.middle_axis) {
      for (int k = 0; k < n.arity; ++k) {
        const int from = kernel_of_[memory[k]];
        if (from > best && from >= least && joins(from, i, shape, r)) best = from;
      }
      for (int k = 0; best < 0 && k < n.arity; ++k) {
        const int from = reader_[memory[k]];
        if (from >= least && joins(from, i, shape, r)) best = from;
      }
      if (best < 0 && reduces) best = beside(memory[0], least, i, shape, r);
    }
    if (best < 0) {
      // sums of leaves alone, such as the number of counted labels, run first: what divides by them need not
      // wait
      const bool early = r.level == Level::total && least == 0 && s.reserved_used < reserved;
      best = early ? s.reserved_used++ : new_kernel(-1);
      f.kernels[best].space = d;
      f.kernels[best].shape = shape;
      f.kernels[best].split = r.split;
      f.kernels[best].middle_axis = r.middle_axis;
      f.kernels[best].walk = walk_of(i);
      f.kernels[best].closed = r.level == Level::total && is_made(memory[0]);
    } else {
      Kernel& kernel = f.kernels[best];
      const SpaceFit a = kernel.shape == shape ? SpaceFit{} : fit_in(kernel.space, d);
      if (!a.inside) {  // the members so far become rows of the larger space
        kernel.split = in_rank(a.split, max(kernel.space.rank, d.rank), d.rank);
        for (int m = kernel.last; m >= 0; m = before_[m]) level_[m] = Level::row;
        kernel.space = d;
        kernel.shape = shape;
        kernel.mixed = true;
      }
      if (kernel.split < 0 && r.split >= 0) kernel.split = in_rank(r.split, d.rank, kernel.space.rank);
    }
    add_member(best, i);
    Kernel& kernel = f.kernels[best];
    kernel.mixed = kernel.mixed || reduces;
    kernel.totals = kernel.totals || r.level == Level::total;
    if (r.level == Level::column_sum) kernel.batch = batch_in(kernel.space, d, r);
    const SpaceFit a = kernel.shape == shape ? SpaceFit{} : fit_in(kernel.space, d);
    level_[i] = reduces ? r.level : a.full ? Level::element : Level::row;
    if (r.middle_axis) level_[i] = Level::row;
    min_kernel_[i] =
        best + (level_[i] == Level::column_sum || level_[i] == Level::total || r.middle_axis ? 1 : 0);
    if (min_kernel_[i] > best) store(i);
    for (int k = 0; k < n.arity; ++k) {
      const int read = leaves_of(through_broadcasts(edges_[n.first + k]));
      const bool known = kernel_of_[memory[k]] == best || reader_[memory[k]] == best;
      f.kernels[best].operands += known && read > 0 ? read - 1 : read;
      if (!known) f.kernels[best].streams += streams_of(through_broadcasts(edges_[n.first + k]));
      if (!f.kernels[best].closed) read_by(best, memory[k]);
    }
    // what another kernel would make is rematerialized, from what that reads
    if (reduces && is_made(memory[0]) && kernel_of_[memory[0]] < best && !f.kernels[best].closed) {
      const Node& made = nodes_[memory[0]];
      for (int k = 0; k < made.arity; ++k) read_by(best, memory_node(edges_[made.first + k]));
    }
  }
  static constexpr u8 assigned = 2;  // of wanted_

  List<u8> wanted_;
  List<int> uses_;   // edges to each node
  List<int> roots_;  // memory that one node reads
};

// Kernels alone; collect() (collect.hpp) then decides what is stored, and lists what each kernel does.
constexpr Fusion cluster(const Graph& graph, FuseLimits limits = {}, const int* tight = nullptr) {
  Clustering clustering;
  Fuser(graph, clustering, limits, tight).run(graph.nodes.size());
  return static_cast<Fusion&&>(clustering.fusion);
}

}  // namespace WEFT_NAMESPACE::kernel_ir
