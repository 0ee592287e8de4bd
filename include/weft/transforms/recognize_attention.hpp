#pragma once
// Attention that was composed by hand, softmax(q k^T ...) v, as the operation that keeps no scores in memory
// (ir/attention.hpp). Law: what comes of it is what the composition computes, where a row's scores are not
// all -infinity; scores and weights that something else reads, too, are left as they are.
//
// Between the products the scores may go through any arithmetic, masks and biases; the weights through a
// factor that no score changes and no gradient is asked of, as dropout has. Heads of keys and values that
// were repeated for groups of heads of queries are read where they are.

#include "weft/transforms/attention_body.hpp"

namespace WEFT_NAMESPACE::transforms {

// One attention in a graph, by its nodes.
struct ComposedAttention {
  int product = -1;  // q k^T
  int scores = -1;   // what the softmax is of
  int softmax = -1;  // its weights
  int result = -1;   // weights v, the second product
};

// Finds what was composed in one graph.
class AttentionFinder {
 public:
  constexpr explicit AttentionFinder(const ir::Graph& graph) : g(graph) {}

  constexpr List<ComposedAttention> run() {
    List<ComposedAttention> found;
    for (int i = 0; i < g.nodes.size(); ++i) {
      ComposedAttention a;
      if (g.nodes.items[i].op != ir::Op::dot || !match(i, a)) continue;
      if (uses_.empty()) {
        count_uses();
        inside_ = List<u8>(g.nodes.size(), 0);
      }
      if (is_closed(a)) found.push(a);
    }
    return found;
  }
  // Whether run() has anything to look at.
  constexpr bool finds_products() {
    for (int i = 0; i < g.nodes.size(); ++i)
      if (ComposedAttention a; g.nodes.items[i].op == ir::Op::dot && match(i, a)) return true;
    return false;
  }
  // After run(): whether a node's value is seen by one of the attentions found alone.
  constexpr bool is_inside(int node) const { return inside_[node] != 0; }

  // The softmax that weights x are made of; -1: none.
  static constexpr int softmax_of(const ir::Graph& g, int x, int depth = 0) {
    using ir::Op;
    if (depth == most_factors) return -1;
    const ir::Node& n = g.nodes.items[x];
    switch (n.op) {
      case Op::cast:
        return is_float(g.nodes.items[g.in(x, 0)].dtype) ? softmax_of(g, g.in(x, 0), depth + 1) : -1;
      case Op::div:
        if (is_softmax(g, x)) return x;
        return softmax_of(g, g.in(x, 0), depth + 1);
      case Op::mul:
        if (const int found = softmax_of(g, g.in(x, 0), depth + 1); found >= 0) return found;
        return softmax_of(g, g.in(x, 1), depth + 1);
      case Op::select:
        return is_constant(g, g.in(x, 2), 0) ? softmax_of(g, g.in(x, 1), depth + 1) : -1;
      default:
        return -1;
    }
  }
  static constexpr bool is_constant(const ir::Graph& g, int x, double value) {
    const ir::Node& n = g.nodes.items[x];
    return n.op == ir::Op::constant && ir::constant_value(n.dtype, n.imm) == value;
  }

 private:
  static constexpr int most_factors = 8;
  static constexpr int most_nodes = 256;  // from the product to the scores

  static constexpr bool is_last_axis_of(const ir::Graph& g, int reduction, int x) {
    return g.attributes(reduction) == 1 && g.attribute(reduction, 0) == g.dims(x).rank - 1 &&
           g.in(reduction, 0) == x;
  }
  // exp(...) / broadcast(sum(exp(...)))
  static constexpr bool is_softmax(const ir::Graph& g, int x) {
    using ir::Op;
    const int e = g.in(x, 0), wide = g.in(x, 1);
    if (g.nodes.items[e].op != Op::exp || g.nodes.items[wide].op != Op::broadcast) return false;
    const int total = g.in(wide, 0);
    return g.nodes.items[total].op == Op::reduce_sum && is_last_axis_of(g, total, e);
  }
  // What the softmax is of: of exp(x - broadcast(max(x))) that is x.
  static constexpr int scores_of(const ir::Graph& g, int softmax) {
    using ir::Op;
    const int exponent = g.in(g.in(softmax, 0), 0);
    if (g.nodes.items[exponent].op != Op::sub) return exponent;
    const int x = g.in(exponent, 0);
    int top = g.in(exponent, 1);
    while (g.nodes.items[top].op == Op::broadcast || g.nodes.items[top].op == Op::stop_gradient)
      top = g.in(top, 0);
    return g.nodes.items[top].op == Op::reduce_max && is_last_axis_of(g, top, x) ? x : exponent;
  }

  constexpr bool is_small_float(int x) const {
    const DType t = g.nodes.items[x].dtype;
    return is_float(t) && size_of(t) <= 4 && size_of(t) > 1;
  }
  // A product of one free axis of each side, which contracts one.
  constexpr bool is_product(int x) const {
    const ir::Node& n = g.nodes.items[x];
    if (n.op != ir::Op::dot || n.imm != 0) return false;
    const int a = g.in(x, 0), b = g.in(x, 1);
    if (!is_small_float(a) || !is_small_float(b) || !is_small_float(x) ||
        g.nodes.items[a].dtype != g.nodes.items[b].dtype)
      return false;
    const ir::DotAxes axes = ir::dot_axes(g, x);
    return axes.contracted == 1 && axes.batch <= 2 && g.dims(a).rank == axes.batch + 2 &&
           g.dims(b).rank == axes.batch + 2;
  }

  constexpr bool match(int result, ComposedAttention& a) {
    const int weights = g.in(result, 0);
    const ir::Op op = g.nodes.items[weights].op;  // most products end here
    if (op != ir::Op::div && op != ir::Op::cast && op != ir::Op::mul && op != ir::Op::select) return false;
    a.result = result;
    a.softmax = softmax_of(g, weights);
    if (a.softmax < 0 || !is_product(result)) return false;
    const Dims d = g.dims(weights);
    const ir::DotAxes axes = ir::dot_axes(g, result);
    for (int k = 0; k < axes.batch; ++k)
      if (axes.batch_a[k] != k) return false;
    if (axes.contracted_a[0] != d.rank - 1) return false;
    a.scores = scores_of(g, a.softmax);
    if (g.dims(a.scores) != d || d.size() == 0 || g.dims(result).size() == 0) return false;
    a.product = product_of(a.scores, d);
    return a.product >= 0 && g.nodes.items[g.in(a.product, 0)].dtype == g.nodes.items[weights].dtype &&
           g.dims(g.in(a.product, 0)).size() > 0;
  }
  // The product that the scores are made of, depth first.
  constexpr int product_of(int scores, const Dims& d) const {
    List<int> left, seen;
    left.push(scores);
    while (!left.empty() && seen.size() < most_nodes) {
      const int x = left.back();
      left.pop();
      bool known = false;
      for (const int other : seen) known = known || other == x;
      if (known || g.dims(x) != d) continue;
      seen.push(x);
      if (is_product(x)) return x;
      const ir::OpClass kind = ir::info(g.nodes.items[x].op).kind;
      if (kind != ir::OpClass::pointwise && kind != ir::OpClass::marker) continue;
      for (int k = g.nodes.items[x].arity - 1; k >= 0; --k) left.push(g.in(x, k));
    }
    return -1;
  }

  constexpr void count_uses() {
    const int n = g.nodes.size();
    List<u8> live(n, 0);
    uses_ = List<int>(n, 0);
    for (const int x : g.outputs) live[x] = 1, ++uses_[x];
    for (const ir::Assign& a : g.assigns) live[a.node] = 1, ++uses_[a.node];
    for (int i = n - 1; i >= 0; --i)
      if (live[i])
        for (int k = 0; k < g.nodes.items[i].arity; ++k) live[g.in(i, k)] = 1, ++uses_[g.in(i, k)];
  }
  // Whether nothing but the result reads what depends on the product, which is arithmetic up to the scores.
  // Marks what does.
  constexpr bool is_closed(const ComposedAttention& a) {
    if (uses_[a.result] == 0) return false;  // dead
    const int first = a.product, n = a.result - first;
    List<u8> depends(n, 0), needed(n, 0);
    depends[0] = 1;
    for (int i = 1; i < n; ++i)
      for (int k = 0; k < g.nodes.items[first + i].arity; ++k)
        if (const int x = g.in(first + i, k) - first; x >= 0 && depends[x]) depends[i] = 1;
    const int weights = g.in(a.result, 0);
    needed[weights - first] = 1;
    List<int> left(n, 0);  // uses by others
    left[weights - first] = uses_[weights] - 1;
    for (int i = n - 1; i >= 0; --i) {
      if (!needed[i]) continue;
      if (left[i] != 0 || !depends[i]) return false;
      if (i == 0) break;
      const int x = first + i;
      for (int k = 0; k < g.nodes.items[x].arity; ++k) {
        const int o = g.in(x, k) - first;
        if (o < 0 || !depends[o]) continue;
        if (!needed[o]) needed[o] = 1, left[o] = uses_[first + o];
        --left[o];
      }
    }
    if (!is_wanted_arithmetic(a, depends, needed)) return false;
    for (int i = 0; i < n; ++i)
      if (needed[i]) inside_[first + i] = 1;
    return true;
  }
  // What leads to the scores is arithmetic at single places, in f32 or in the type of the products' factors,
  // and no factor of the weights depends on them.
  constexpr bool is_wanted_arithmetic(const ComposedAttention& a, const List<u8>& depends,
                                      const List<u8>& needed) const {
    const int first = a.product;
    const DType factors = g.nodes.items[g.in(a.product, 0)].dtype;
    for (int i = 0; i < needed.size(); ++i) {
      const DType t = g.nodes.items[first + i].dtype;
      if (needed[i] && is_float(t) && t != DType::f32 && t != factors) return false;
    }
    List<u8> leads(depends.size(), 0);
    leads[a.scores - first] = 1;
    for (int i = a.scores - first; i > 0; --i) {
      if (!leads[i]) continue;
      const int x = first + i;
      const ir::OpClass kind = ir::info(g.nodes.items[x].op).kind;
      if (g.dims(x) != g.dims(a.product) || (kind != ir::OpClass::pointwise && kind != ir::OpClass::marker) ||
          g.nodes.items[x].arity > 3)
        return false;
      for (int k = 0; k < g.nodes.items[x].arity; ++k)
        if (const int o = g.in(x, k) - first; o >= 0 && depends[o]) leads[o] = 1;
    }
    // between the softmax and the result there is one chain, and what joins it comes from elsewhere
    for (int i = a.softmax - first + 1; i < needed.size(); ++i) {
      if (!needed[i]) continue;
      int joined = 0;
      for (int k = 0; k < g.nodes.items[first + i].arity; ++k) {
        const int x = g.in(first + i, k);
        if (x >= first && depends[x - first])
          ++joined;
        else if (!is_without_gradient(x))
          return false;
      }
      if (joined != 1) return false;
    }
    return true;
  }

  // Whether no gradient can be asked of x: numbers, places and random bits, and what is no float.
  constexpr bool is_without_gradient(int x) const {
    List<int> left;
    left.push(x);
    for (int seen = 0; !left.empty(); ++seen) {
      const int o = left.back();
      left.pop();
      const ir::Node& n = g.nodes.items[o];
      if (!is_float(n.dtype) || n.op == ir::Op::constant || n.op == ir::Op::scalar) continue;
      const ir::OpClass kind = ir::info(n.op).kind;
      if (seen > 64 || (kind != ir::OpClass::pointwise && n.op != ir::Op::broadcast)) return false;
      for (int k = 0; k < n.arity; ++k) left.push(g.in(o, k));
    }
    return true;
  }

  const ir::Graph& g;
  List<int> uses_;  // of live nodes by live nodes, results and assignments
  List<u8> inside_;
};

// A graph as another's nodes with what was composed replaced.
class AttentionRewriter {
 public:
  constexpr AttentionRewriter(const ir::Graph& graph, const AttentionFinder& finder)
      : g(graph), finder_(finder), b(graph, 2 * graph.nodes.size()), moved_(graph.nodes.size(), -1) {}

  // `at`: the attention whose result a node is; -1: none. False where a body takes more tensors than a
  // kernel.
  constexpr bool run(const List<ComposedAttention>& found, const List<int>& at) {
    List<int> operands;
    b.graph.inputs = List<int>(g.inputs.size(), -1);
    for (int i = 0; i < g.nodes.size(); ++i) {
      if (finder_.is_inside(i)) continue;
      if (at[i] >= 0) {
        if (!attend(found[at[i]])) return false;
        continue;
      }
      ir::Node node = g.nodes.items[i];
      operands.clear();
      bool dead = false;  // nothing that is left reads it
      for (int k = 0; k < node.arity; ++k) {
        operands.push(moved_[g.in(i, k)]);
        dead = dead || operands.back() < 0;
      }
      if (dead) continue;
      // shapes and attribute lists have kept their numbers
      if (ir::is_region(node.op)) node.imm = static_cast<u64>(ir::add_body(b.graph, ir::region_body(g, i)));
      moved_[i] = b.add(node, operands.data(), node.arity);
      if (node.op != ir::Op::input) continue;
      for (int k = 0; k < g.inputs.size(); ++k)
        if (g.inputs[k] == i) b.graph.inputs[k] = moved_[i];
    }
    for (const int x : g.outputs) b.graph.outputs.push(moved_[x]);
    for (const ir::Assign& a : g.assigns) b.graph.assigns.push({a.slot, moved_[a.node]});
    return true;
  }
  constexpr ir::Graph take() { return static_cast<ir::Graph&&>(b.graph); }

 private:
  constexpr bool attend(const ComposedAttention& a) {
    using ir::AttentionShape, ir::Op, ir::Value;
    const Dims scores = g.dims(a.scores);
    Dims grid{4, {1, 1, 1, 1}};
    for (int k = 0; k < scores.rank; ++k) grid.extent[k + 4 - scores.rank] = scores.extent[k];
    ir::Builder trace(64);
    trace.parent = &b;
    trace.graph.is_body = true;
    trace.graph.scalar_count = b.graph.scalar_count;
    trace.graph.streams = b.graph.streams;
    trace.graph.inputs.push(trace.leaf(Op::input, DType::f32, scores, 0));
    trace.outer.push(-1);
    traced_.clear();
    traced_.push({a.product, trace.graph.inputs[0], true});
    const Value seen = in_trace(trace, a.scores);
    const Value factor = factor_of(trace, g.in(a.result, 0), a.softmax);
    AttentionBody body(b, trace, scores, grid);
    if (!body.add_output(seen.id)) return false;
    const bool drops = static_cast<bool>(factor) && !factor.is(1);
    if (drops && !body.add_output(factor.id)) return false;
    const ir::DotAxes first = ir::dot_axes(g, a.product), second = ir::dot_axes(g, a.result);
    List<int> operands;
    const Value q = in_order(g.in(a.product, 0), first.batch, first.batch_a, first.contracted_a[0], true);
    Value k = in_order(g.in(a.product, 1), first.batch, first.batch_b, first.contracted_b[0], true);
    Value v = in_order(g.in(a.result, 1), second.batch, second.batch_b, second.contracted_b[0], false);
    if (const Value one = ungrouped(k), other = ungrouped(v);
        one && other && one.dims().extent[1] == other.dims().extent[1])
      k = one, v = other;
    for (const Value& x : {q, k, v}) operands.push(x.id);
    for (const int x : body.captured()) operands.push(x);
    const Value region = ir::attention(b, body.graph(), operands, drops);
    const Value y = ir::attention_result(region, AttentionShape::y, g.nodes.items[a.result].dtype);
    // what a gradient would read of the forward pass stands there
    ir::attention_result(region, AttentionShape::row_lse, DType::f32);
    moved_[a.result] = ir::reshape(y, g.dims(a.result)).id;
    return true;
  }
  // A factor of a product as (.., heads, rows, columns), four axes; `last`: the contracted axis is the
  // columns.
  constexpr ir::Value in_order(int x, int batch, const int* batches, int contracted, bool last) {
    const ir::Value v{&b, moved_[x]};
    const Dims d = v.dims();
    i64 order[8]{};
    u32 used = 1u << contracted;
    int n = 0, free = 0;
    for (int k = 0; k < batch; ++k) order[n++] = batches[k], used |= 1u << batches[k];
    while (used >> free & 1u) ++free;
    order[n++] = last ? free : contracted;
    order[n++] = last ? contracted : free;
    Dims four{4, {1, 1, 1, 1}};
    for (int k = 0; k < d.rank; ++k) four.extent[k + 4 - d.rank] = d.extent[order[k]];
    return ir::reshape(ir::permute(v, order), four);
  }

  // Of heads that were repeated for groups of q's, (B, H, 1, S, E) to (B, H, G, S, E) to (B, H G, S, E),
  // those that were; nothing where none was.
  static constexpr ir::Value ungrouped(ir::Value x) {
    if (x.op() != ir::Op::reshape || x.in(0).op() != ir::Op::broadcast) return {};
    const ir::Value repeated = x.in(0), heads = repeated.in(0);
    const Dims d = x.dims(), r = repeated.dims();
    if (r.rank != 5 || d != Dims{4, {r.extent[0], r.extent[1] * r.extent[2], r.extent[3], r.extent[4]}})
      return {};
    const Dims once{5, {r.extent[0], r.extent[1], 1, r.extent[3], r.extent[4]}};
    if (heads.dims() != once) return {};
    return ir::reshape(heads, Dims{4, {r.extent[0], r.extent[1], r.extent[3], r.extent[4]}});
  }

  struct Traced {
    int from = -1, to = -1;  // nodes of g and of the trace
    bool depends = false;    // on the product
  };
  constexpr const Traced* find(int x) const {
    for (const Traced& t : traced_)
      if (t.from == x) return &t;
    return nullptr;
  }
  // Node x of g in the trace. What does not depend on the product is traced as far as it is arithmetic, so
  // that a mask is seen to be one of places; the rest stands for values of b.
  constexpr ir::Value in_trace(ir::Builder& t, int x) {
    List<int> wanted, left;
    left.push(x);
    while (!left.empty()) {
      const int w = left.back();
      left.pop();
      bool known = find(w) != nullptr;
      for (const int other : wanted) known = known || other == w;
      if (known) continue;
      wanted.push(w);
      if (!finder_.is_inside(w) && (wanted.size() > most_traced || !is_arithmetic(w))) continue;
      for (int k = 0; k < g.nodes.items[w].arity; ++k) left.push(g.in(w, k));
    }
    for (int i = 1; i < wanted.size(); ++i)  // operands first
      for (int k = i; k > 0 && wanted[k] < wanted[k - 1]; --k) std::swap(wanted[k], wanted[k - 1]);
    for (const int w : wanted) traced_.push(trace_node(t, w));
    return {&t, find(x)->to};
  }
  static constexpr int most_traced = 256;
  constexpr bool is_arithmetic(int x) const {
    using ir::Op, ir::OpClass;
    const ir::Node& n = g.nodes.items[x];
    const OpClass kind = ir::info(n.op).kind;
    return n.op == Op::constant || n.op == Op::iota || n.op == Op::random || kind == OpClass::pointwise ||
           kind == OpClass::marker || n.op == Op::broadcast || n.op == Op::reshape || n.op == Op::permute;
  }
  constexpr Traced trace_node(ir::Builder& t, int x) {
    using ir::Op, ir::Value;
    const ir::Node& n = g.nodes.items[x];
    bool depends = false, all = true;
    for (int k = 0; k < n.arity; ++k) {
      const Traced* const o = find(g.in(x, k));
      all = all && o != nullptr;
      depends = depends || (o != nullptr && o->depends);
    }
    if (!depends && (!all || !is_arithmetic(x))) {
      const int made = t.leaf(Op::input, n.dtype, g.dims(x), static_cast<u64>(t.graph.inputs.size()));
      t.graph.inputs.push(made);
      t.outer.push(moved_[x]);
      return {x, made, false};
    }
    List<int> operands;
    if (!depends) {
      for (int k = 0; k < n.arity; ++k) operands.push(find(g.in(x, k))->to);
      return {x, ir::copy_node(t, g, x, operands.data()), false};
    }
    // what depends on the product is computed in f32
    for (int k = 0; k < n.arity; ++k) {
      const Value o{&t, find(g.in(x, k))->to};
      operands.push(is_float(o.dtype()) && o.dtype() != DType::f32 ? ir::cast(o, DType::f32).id : o.id);
    }
    if (n.op == Op::cast && is_float(n.dtype) && is_float(g.nodes.items[g.in(x, 0)].dtype))
      return {x, operands[0], true};
    if (n.op == Op::select && AttentionFinder::is_constant(g, g.in(x, 1), lowest))
      return {x,
              ir::select(ir::unary(Op::logical_not, Value{&t, operands[0]}), Value{&t, operands[2]},
                         Value{&t, operands[1]})
                  .id,
              true};
    ir::Node node = n;
    if (is_float(node.dtype)) node.dtype = DType::f32;
    node.shape = t.shape(g.dims(x));
    node.list = -1;
    return {x, t.add(node, operands.data(), n.arity), true};
  }
  static constexpr double lowest = -std::numeric_limits<double>::infinity();

  // What weights x are of those of the softmax, in the trace; nothing where they are these.
  constexpr ir::Value factor_of(ir::Builder& t, int x, int softmax) {
    using ir::Op, ir::Value;
    if (x == softmax) return {};
    const ir::Node& n = g.nodes.items[x];
    if (n.op == Op::cast) return factor_of(t, g.in(x, 0), softmax);
    const int of = n.op == Op::select || !finder_.is_inside(g.in(x, 0)) ? 1 : 0;
    const Value before = factor_of(t, g.in(x, of), softmax);
    Value other = in_trace(t, g.in(x, n.op == Op::select ? 0 : 1 - of));
    const Value one = ir::constant(t, DType::f32, g.dims(x), 1);
    if (n.op == Op::select) return ir::select(other, before ? before : one, ir::constant_like(one, 0));
    other = ir::cast(other, DType::f32);
    if (n.op == Op::div) return (before ? before : one) / other;
    return before ? before * other : other;
  }

  const ir::Graph& g;
  const AttentionFinder& finder_;
  ir::Builder b;
  List<int> moved_;
  List<Traced> traced_;
};

// Whether recognize_attention has anything to look at: few steps where there is nothing.
constexpr bool may_compose_attention(const ir::Graph& g) {
  if (AttentionFinder(g).finds_products()) return true;
  for (int i = 0; i < g.nodes.size(); ++i)
    if (g.nodes.items[i].op == ir::Op::loop && may_compose_attention(ir::loop_body(g, i))) return true;
  return false;
}

// Makes an operation of every attention in a graph, and in the bodies of its loops; whether there was one.
constexpr bool recognize_attention(ir::Graph& g) {
  bool changed = false;
  for (int i = 0; i < g.nodes.size(); ++i) {
    if (g.nodes.items[i].op != ir::Op::loop) continue;
    ir::Graph body = ir::loop_body(g, i);
    if (!recognize_attention(body)) continue;
    g.nodes.items[i].imm = static_cast<u64>(ir::add_body(g, body));
    changed = true;
  }
  AttentionFinder finder(g);
  const List<ComposedAttention> found = finder.run();
  if (found.empty()) return changed;
  List<int> at(g.nodes.size(), -1);
  for (int k = 0; k < found.size(); ++k) at[found[k].result] = k;
  AttentionRewriter rewriter(g, finder);
  if (!rewriter.run(found, at)) return changed;
  g = rewriter.take();
  return true;
}

}  // namespace WEFT_NAMESPACE::transforms
