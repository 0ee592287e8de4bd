#pragma once
// Precision as a pass: matrix products work on operands cast down, everything else stays as it was written.
// The casts are in the graph before fusion, so they are part of the neighbouring kernels and rounding never
// depends on what was fused.

#include "weft/ir/attention.hpp"
#include "weft/ir/unrounded.hpp"
#include "weft/transforms/lowered_weights.hpp"
#include "weft/transforms/precision_policy.hpp"
#include "weft/transforms/prune.hpp"

namespace WEFT_NAMESPACE::transforms {

namespace detail {

// Which products are added, as they are or with a bias between, to a value as large that lies in memory: one
// that is given, or that something else reads too. Their kernels can add it to their sums
// (kernel_ir/fuse.hpp).
constexpr List<u8> joins_residual(const ir::Graph& g) {
  const int n = g.nodes.size();
  const LiveNodes found(
      g);  // what is read in vain, as in a body that computes less than before, does not count
  const List<int>& reads = found.uses;
  List<int> reader(n, -1);
  for (int i = 0; i < n; ++i)
    for (int k = 0; found.live[i] && k < g.nodes[i].arity; ++k) reader[g.in(i, k)] = i;
  // From the end, so that what an addition leads to is known before its operands are asked.
  List<u8> joins(n, 0);
  for (int i = n - 1; i >= 0; --i) {
    if (reads[i] != 1 || reader[i] < 0) continue;
    const ir::Node& sum = g.nodes[reader[i]];
    if (sum.op != ir::Op::add || sum.dtype != DType::f32) continue;
    const int* operands = g.edges.items + sum.first;
    const int other = operands[0] == i ? operands[1] : operands[0];
    const ir::Op op = g.nodes[other].op;
    if (op == ir::Op::broadcast)
      joins[i] = joins[reader[i]];
    else
      joins[i] = op == ir::Op::input || op == ir::Op::state ||
                 (reads[other] > 1 && op != ir::Op::constant && op != ir::Op::iota && op != ir::Op::dot &&
                  op != ir::Op::conv);
  }
  return joins;
}

// What crosses the border of a loop as `compute`, of its operands and of its body's outputs: operands that
// are widened before the loop, or that the body's products alone read; stacked outputs that the body widens,
// or that products alone read. So a trip moves what it would move if it stood in no loop.
struct NarrowBorder {
  enum : u8 { wide, widened, narrow };  // of an output: as it is, narrow where the body widens it, narrow
  List<u8> operands, outputs;
};

// A loop of a graph as it is rewritten: its body is thawed once.
struct RewrittenLoop {
  int node = -1;
  ir::Graph body;
  List<u8> alone;  // of the body: read_by_products_alone
  NarrowBorder border;
};
constexpr RewrittenLoop& add_loop(List<RewrittenLoop>& loops, const ir::Graph& g, int node) {
  loops.push({});
  loops.back().node = node;
  loops.back().body = merge_variables(ir::loop_body(g, node));
  return loops.back();
}

// Whether operand k of an attention in f32 is a factor of its products.
constexpr bool is_factor(const ir::Graph& g, int attention, int k) {
  const ir::AttentionShape s = ir::attention_shape(g, attention);
  return (k < ir::AttentionShape::first_captured || (s.is_gradient && k == s.dy())) &&
         g.nodes[g.in(attention, k)].dtype == DType::f32;
}

// What nothing reads but products of f32, those of a loop's body too, as it is or through views that nothing
// else reads. Adds the loops to `loops`.
constexpr List<u8> read_by_products_alone(const ir::Graph& g, List<RewrittenLoop>& loops) {
  const int n = g.nodes.size();
  List<u8> alone(n, 1);
  for (int x : g.outputs) alone[x] = 0;
  for (const ir::Assign& a : g.assigns) alone[a.node] = 0;
  for (int i = n - 1; i >= 0; --i) {
    const ir::Node& node = g.nodes.items[i];
    if (is_lowered(node) || (rearranges(node.op) && alone[i])) continue;
    if (ir::is_attention(node.op)) {
      for (int k = 0; k < node.arity; ++k)
        if (!is_factor(g, i, k)) alone[g.in(i, k)] = 0;
      continue;
    }
    if (node.op == ir::Op::loop) {
      RewrittenLoop& loop = add_loop(loops, g, i);
      List<RewrittenLoop> nested;
      loop.alone = read_by_products_alone(loop.body, nested);
      const int carries = ir::loop_shape(g, i).carries;
      for (int k = 0; k < node.arity; ++k) {
        const int input = loop.body.inputs[k];
        if (k < carries || input < 0 || !loop.alone[input]) alone[g.in(i, k)] = 0;
      }
      continue;
    }
    for (int k = 0; k < node.arity; ++k) alone[g.edges[node.first + k]] = 0;
  }
  return alone;
}

// Node `node`, a view or a pad, of another operand, which may have another dtype.
constexpr ir::Value moved_data(ir::Node node, ir::Value x) {
  ir::Builder& b = *x.builder;
  if (node.op == ir::Op::reshape) return ir::reshape(x, Dims(b.graph.shapes[node.shape]));
  if (node.op == ir::Op::permute)
    return ir::permute(x, b.graph.list_data.items + b.graph.lists[node.list].begin);
  node.dtype = x.dtype();
  return {&b, b.add(node, &x.id, 1)};
}

}  // namespace detail

// Products of f32 operands become products of `compute` operands. Their result is `compute` too, with three
// exceptions, which keep the f32 sums: what leaves the program (an output, or the gradient of a parameter, an
// operand of a flat_concat or of a sum over ranks), what is added to a residual, and products of 8-bit
// factors, which are scaled and rounded behind (delayed_scaling.hpp). Under TF32 they keep their dtypes and
// bear a mark (convolutions none: they are summed in f32).
constexpr ir::Graph apply_precision(const ir::Graph& g, PrecisionRule rule);

namespace detail {

class PrecisionRewriter {
 public:
  // `border`: of a loop's body, which of its inputs come narrow and which of its outputs may leave so;
  // whether they do is told there.
  constexpr PrecisionRewriter(const ir::Graph& graph, PrecisionRule rule, NarrowBorder* border = nullptr)
      : g(graph),
        rule_(rule),
        border_(border),
        b(graph, 2 * graph.nodes.size()),
        weights_(graph, b, rule.compute),
        moved_(graph.nodes.size(), -1) {
    if (rule.compute == DType::f32) return;
    joins_ = joins_residual(graph);
    alone_ = read_by_products_alone(graph, loops_);
    find_results();
  }

  constexpr ir::Graph run() {
    for (int i = 0; i < g.nodes.size(); ++i) moved_[i] = move(i);
    for (int x : g.inputs)
      b.graph.inputs.push(x < 0             ? -1
                          : comes_narrow(x) ? b.graph.edges[b.graph.nodes[moved_[x]].first]
                                            : moved_[x]);
    for (int k = 0; k < g.outputs.size(); ++k) b.graph.outputs.push(left(k));
    for (const ir::Assign& a : g.assigns) b.graph.assigns.push({a.slot, moved_[a.node]});
    return static_cast<ir::Graph&&>(b.graph);
  }

 private:
  // What leaves the program, as it is or through views, and the gradients of parameters, of some blocks of a
  // Stack, too.
  constexpr void find_results() {
    results_.resize(g.nodes.size(), 0);
    for (int k = 0; k < g.outputs.size(); ++k)
      if (border_ == nullptr || !border_->outputs[k]) results_[g.outputs[k]] = leaves;
    for (int i = g.nodes.size() - 1; i >= 0; --i) {
      const ir::Node& node = g.nodes.items[i];
      const bool view = node.op == ir::Op::reshape || node.op == ir::Op::permute ||
                        (node.op == ir::Op::add && reads_optimizer(g.in(i, 1))) ||
                        (node.op == ir::Op::slice && results_[i] == gradient);
      const bool gathers = node.op == ir::Op::flat_concat || node.op == ir::Op::reduce_scatter_into_start ||
                           node.op == ir::Op::reduce_scatter_state_start || ir::is_unrounded(g, i);
      if (!gathers && !(view && results_[i])) continue;
      const u8 what = gathers ? gradient : results_[i];
      for (int k = 0; k < node.arity; ++k) {
        u8& operand = results_[g.edges[node.first + k]];
        if (operand < what) operand = what;
      }
    }
  }

  // A gradient that others are added to.
  constexpr bool reads_optimizer(int x) const {
    const ir::Node& node = g.nodes.items[x];
    return node.op == ir::Op::state && g.slots[static_cast<int>(node.imm)].space == ir::Space::optimizer;
  }
  // Node i in the new graph.
  constexpr int move(int i) {
    ir::Node node = g.nodes[i];
    if (is_lowered(node) && rule_.compute != DType::f32) return product(i, node);
    if (rule_.tf32 && (node.op == ir::Op::dot || node.op == ir::Op::conv) && node.dtype == DType::f32)
      node.imm = ir::dot_tf32;
    if (node.op == ir::Op::loop) return loop(i, node);
    if (ir::is_attention(node.op)) return attention(i, node);
    if (node.op == ir::Op::result)
      return g.nodes[g.in(i, 0)].op == ir::Op::loop ? loop_result(i, node) : attention_result(i, node);
    if (node.op == ir::Op::input && comes_narrow(i)) {
      node.dtype = rule_.compute;
      return ir::cast({&b, b.add(node, nullptr, 0)}, DType::f32).id;
    }
    if (const int narrow = moved_narrow(i, node); narrow >= 0) return narrow;
    operands_.clear();
    for (int k = 0; k < node.arity; ++k) operands_.push(moved_[g.in(i, k)]);
    return b.add(node, operands_.data(), operands_.size());
  }
  // Whether a value is widened from `compute`.
  constexpr bool is_widened(int x) const {
    const ir::Node& node = b.graph.nodes[x];
    return rule_.compute != DType::f32 && node.op == ir::Op::cast && node.dtype == DType::f32 &&
           b.graph.nodes[b.graph.edges[node.first]].dtype == rule_.compute;
  }
  // Whether input node i does.
  constexpr bool comes_narrow(int i) const {
    return border_ != nullptr && border_->operands[static_cast<int>(g.nodes[i].imm)];
  }
  // Output k as it leaves.
  constexpr int left(int k) {
    const int x = moved_[g.outputs[k]];
    if (border_ == nullptr || border_->outputs[k] == NarrowBorder::wide) return x;
    if (is_widened(x)) return b.graph.edges[b.graph.nodes[x].first];
    if (border_->outputs[k] == NarrowBorder::narrow) return ir::cast({&b, x}, rule_.compute).id;
    border_->outputs[k] = NarrowBorder::wide;
    return x;
  }
  constexpr RewrittenLoop& rewritten(int loop) {
    for (RewrittenLoop& known : loops_)
      if (known.node == loop) return known;
    return add_loop(loops_, g, loop);
  }
  constexpr int loop(int i, ir::Node node) {
    RewrittenLoop& inside = rewritten(i);
    const ir::Graph& body = inside.body;
    const ir::LoopShape shape = ir::loop_shape(g, i);
    NarrowBorder& border = inside.border;
    border = {List<u8>(shape.operands(), 0), List<u8>(shape.carries + shape.outputs, 0)};
    if (rule_.compute != DType::f32) {
      for (int k = 0; k < shape.outputs; ++k) border.outputs[shape.carries + k] = NarrowBorder::widened;
      for (int r = i + 1; r < g.nodes.size(); ++r) {
        const ir::Node& result = g.nodes[r];
        const int which = static_cast<int>(result.imm);
        if (result.op != ir::Op::result || g.in(r, 0) != i || which < 2 * shape.carries) continue;
        if (results_[r])
          border.outputs[which - shape.carries] = NarrowBorder::wide;
        else if (alone_[r] && result.dtype == DType::f32)
          border.outputs[which - shape.carries] = NarrowBorder::narrow;
      }
    }
    List<int> operands;
    for (int k = 0; k < node.arity; ++k) {
      const int from = g.in(i, k), x = moved_[from], input = body.inputs[k];
      const bool f32 = k >= shape.carries && rule_.compute != DType::f32 && input >= 0 &&
                       body.nodes[input].dtype == DType::f32;
      border.operands[k] = f32 && (is_widened(x) || inside.alone[input]);
      operands.push(!border.operands[k] ? x
                    : is_widened(x)     ? b.graph.edges[b.graph.nodes[x].first]
                                        : narrowed(from).id);
    }
    PrecisionRewriter rewriter(body, rule_, &border);
    node.imm = static_cast<u64>(ir::add_body(b.graph, rewriter.run()));
    return b.add(node, operands.data(), operands.size());
  }
  constexpr int loop_result(int i, ir::Node node) {
    const int loop = g.in(i, 0), which = static_cast<int>(node.imm), x = moved_[loop];
    const int carries = ir::loop_shape(g, loop).carries;
    const bool narrow = which >= 2 * carries && rewritten(loop).border.outputs[which - carries];
    if (narrow) node.dtype = rule_.compute;
    const int made = b.add(node, &x, 1);
    return narrow ? ir::cast({&b, made}, DType::f32).id : made;
  }
  constexpr int attention(int i, ir::Node node) {
    operands_.clear();
    for (int k = 0; k < node.arity; ++k) {
      const bool rounds = rule_.compute != DType::f32 && is_factor(g, i, k);
      const int x = rounds ? narrowed(g.in(i, k)).id : moved_[g.in(i, k)];
      operands_.push(x);
    }
    node.imm = static_cast<u64>(ir::add_body(b.graph, ir::attention_body(g, i)));
    return b.add(node, operands_.data(), operands_.size());
  }
  // As of a product, what leaves the program is not rounded; log-sum-exp and the gradients of captured
  // tensors never are.
  constexpr int attention_result(int i, ir::Node node) {
    const int region = moved_[g.in(i, 0)];
    const ir::Node& made = b.graph.nodes[region];
    const DType factors = b.graph.nodes[b.graph.edges[made.first]].dtype;
    const int of_factors = made.op == ir::Op::attention ? 1 : 3;
    const bool narrow =
        node.dtype == DType::f32 && factors == rule_.compute && node.imm < static_cast<u64>(of_factors);
    if (narrow && !results_[i]) node.dtype = rule_.compute;
    return ir::cast({&b, b.add(node, &region, 1)}, narrow ? DType::f32 : node.dtype).id;
  }
  constexpr int product(int i, ir::Node node) {
    operands_.clear();
    for (int k = 0; k < node.arity; ++k) {
      const ir::Value x = narrowed(g.in(i, k));
      operands_.push(x.id);
    }
    const bool scaled = node.op == ir::Op::dot && node.imm == ir::dot_f8;
    const bool keeps_sums = scaled || results_[i] || (joins_[i] && node.op == ir::Op::dot);
    if (scaled) node.imm = 0;
    if (!keeps_sums) node.dtype = rule_.compute;
    return ir::cast({&b, b.add(node, operands_.data(), operands_.size())}, DType::f32).id;
  }
  // A view, a pad or a block of what was widened: the data moves narrow. Else -1.
  constexpr int moved_narrow(int i, ir::Node node) {
    const bool block = node.op == ir::Op::dynamic_slice;
    if (!rearranges(node.op) && !block && !(node.op == ir::Op::pad && node.imm == 0)) return -1;
    const ir::Value x{&b, moved_[g.in(i, 0)]};
    if (x.op() != ir::Op::cast || x.dtype() != DType::f32 || x.in(0).dtype() != rule_.compute) return -1;
    if (!block) return ir::cast(moved_data(node, x.in(0)), DType::f32).id;
    operands_.clear();
    operands_.push(x.in(0).id);
    for (int k = 1; k < node.arity; ++k) operands_.push(moved_[g.in(i, k)]);
    node.dtype = rule_.compute;
    return ir::cast({&b, b.add(node, operands_.data(), operands_.size())}, DType::f32).id;
  }
  // Node x as `compute`. Casts commute with views, so they are made beneath those that only products read:
  // what makes the values can round them as it stores them.
  constexpr ir::Value narrowed(int x) {
    const ir::Node& node = g.nodes.items[x];
    const int together = node.op == ir::Op::state ? weights_.of(static_cast<int>(node.imm)) : -1;
    if (together >= 0) return {&b, together};
    if (rearranges(node.op) && alone_[x] && !(node.op == ir::Op::slice && is_given(source_of(g, x)))) {
      const ir::Value operand = narrowed(g.in(x, 0));
      return moved_data(node, operand);
    }
    return ir::cast({&b, moved_[x]}, rule_.compute);
  }
  // In memory before any kernel could cast it: of such a thing a part is cast alone.
  constexpr bool is_given(int x) const {
    const ir::Node& node = g.nodes.items[x];
    if (node.op == ir::Op::state) return weights_.of(static_cast<int>(node.imm)) < 0;
    return node.op == ir::Op::input || node.op == ir::Op::result;
  }

  const ir::Graph& g;
  PrecisionRule rule_;
  NarrowBorder* border_;
  List<RewrittenLoop> loops_;
  ir::Builder b;
  LoweredWeights weights_;
  static constexpr u8 leaves = 1, gradient = 2;  // of results_
  List<u8> joins_, alone_, results_;             // empty under TF32
  List<int> moved_, operands_;
};

}  // namespace detail

constexpr ir::Graph apply_precision(const ir::Graph& g, PrecisionRule rule) {
  if (rule.changes_nothing()) return g;
  // What becomes one computation has to be rounded as one: an attention would leave its result twice, and it
  // is written once.
  if (has_variables(g)) return detail::PrecisionRewriter(drop_unused(g), rule).run();
  return detail::PrecisionRewriter(g, rule).run();
}

}  // namespace WEFT_NAMESPACE::transforms
