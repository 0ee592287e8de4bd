#pragma once
// Attention as product, body, softmax, product: where a device or a derivative has no kernel of it. Law: a
// gradient in the same graph shares what the forward pass computed.

#include "weft/ir/attention.hpp"
#include "weft/ir/inline_graph.hpp"
#include "weft/transforms/linear_sum.hpp"

namespace WEFT_NAMESPACE::transforms {

// y and the log-sum-exp of each row; the latter is dropped where nothing reads it.
struct DecomposedAttention {
  Value y, lse;
};

// Products of batches, a row for each query and its head; heads that share keys are rows of one product.
struct AttentionProducts {
  ir::AttentionShape s;

  constexpr Dims batched(i64 rows, i64 last) const {
    return {4, {s.batch, s.kv_heads, s.heads / s.kv_heads * rows, last}};
  }
  // (B, Hq, L, x) with (B, H, S, x) or (B, H, x, S): axis `contracted` of b.
  constexpr Value product(Value a, Value b, int contracted, const Dims& result) const {
    ir::DotAxes axes;
    axes.batch = 2;
    for (int i = 0; i < 2; ++i) axes.batch_a[i] = axes.batch_b[i] = i;
    axes.contracted = 1;
    axes.contracted_a[0] = 3;
    axes.contracted_b[0] = contracted;
    const Value rows = ir::reshape(a, batched(s.queries, a.dims().extent[3]));
    return ir::reshape(ir::dot(rows, b, axes, a.dtype()), result);
  }
  // (B, Hq, L, S) and (B, Hq, L, x), summed over the queries of the heads that share keys: (B, H, S, x).
  constexpr Value transposed_product(Value a, Value b, const Dims& result) const {
    ir::DotAxes axes;
    axes.batch = 2;
    for (int i = 0; i < 2; ++i) axes.batch_a[i] = axes.batch_b[i] = i;
    axes.contracted = 1;
    axes.contracted_a[0] = axes.contracted_b[0] = 2;
    const Value x = ir::reshape(a, batched(s.queries, a.dims().extent[3])),
                y = ir::reshape(b, batched(s.queries, b.dims().extent[3]));
    return ir::reshape(ir::dot(x, y, axes, a.dtype()), result);
  }
};

// Whether the body can say of a place that nothing is attended to there: by a constant, or by what it
// captures.
constexpr bool may_mask(const ir::Graph& body, int captured) {
  if (captured > 0) return true;
  for (const ir::Node& n : body.nodes) {
    if (n.op == Op::constant && is_float(n.dtype) && ir::constant_value(n.dtype, n.imm) < -1e30) return true;
  }
  return false;
}

// What a forward pass computes and its gradient shares.
struct ComposedScores {
  List<int> inputs;  // of the body
  Value weights, factor;
  Value total, shift;  // of each row, on (B, Hq, L, 1)
};

// `operands`: q, k, v, captured. `body` may be a gradient's, of which the first outputs are taken.
constexpr ComposedScores compose_scores(ir::Builder& b, const ir::AttentionShape& s, const ir::Graph& body,
                                        const List<int>& operands) {
  using ir::AttentionShape;
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  const Dims grid = s.grid();
  const Value q{&b, operands[AttentionShape::q]}, k{&b, operands[AttentionShape::k]};
  ComposedScores r;
  r.inputs.push(ir::cast(AttentionProducts{s}.product(q, k, 3, grid), s.wide).id);
  for (int i = 0; i < s.captured; ++i) r.inputs.push(operands[AttentionShape::first_captured + i]);
  ir::Graph scores = body;
  scores.outputs.resize(s.product_gradient());
  const List<int> inside = ir::inline_graph(b, scores, r.inputs);
  const Value score{&b, inside[0]};
  const bool masks = may_mask(scores, s.captured);
  const auto in_place_of = [&](Value x, double of, double other) {
    return masks ? ir::select(ir::binary(Op::eq, x, ir::constant_like(x, of)), ir::constant_like(x, other), x)
                 : x;
  };
  const Value top = ir::unary(Op::stop_gradient, ir::reduce(Op::reduce_max, score, 1u << 3));
  r.shift = in_place_of(top, lowest, 0);
  const Value e = ir::unary(Op::exp, score - ir::broadcast(r.shift, grid));
  r.total = ir::reduce(Op::reduce_sum, e, 1u << 3);
  r.weights = e / ir::broadcast(in_place_of(r.total, 0, 1), grid);
  if (s.drops) r.factor = {&b, inside[1]};
  return r;
}
constexpr Value dropped(Value x, Value factor) { return factor ? x * factor : x; }

constexpr DecomposedAttention decompose(ir::Builder& b, const ir::AttentionShape& s, const ir::Graph& body,
                                        const List<int>& operands) {
  const Value v{&b, operands[ir::AttentionShape::v]};
  const ComposedScores r = compose_scores(b, s, body, operands);
  DecomposedAttention made;
  made.y = AttentionProducts{s}.product(ir::cast(dropped(r.weights, r.factor), v.dtype()), v, 2,
                                        s.of_query(s.value_width));
  made.lse = ir::row_lse_of(s, r.total, r.shift);
  return made;
}

// The results of an attention_gradient. What lse and delta say is computed of the other operands, so that
// derivatives of the gradient are right.
constexpr List<int> decompose_gradient(ir::Builder& b, const ir::AttentionShape& s, const ir::Graph& body,
                                       const List<int>& wanted, const List<int>& operands) {
  using ir::AttentionShape;
  const AttentionProducts products{s};
  const Dims grid = s.grid();
  const Value q{&b, operands[AttentionShape::q]}, k{&b, operands[AttentionShape::k]},
      v{&b, operands[AttentionShape::v]}, dy{&b, operands[s.dy()]};
  ComposedScores r = compose_scores(b, s, body, operands);
  const Value dw = dropped(ir::cast(products.product(dy, v, 3, grid), s.wide), r.factor);
  const Value delta = ir::reduce(Op::reduce_sum, dw * r.weights, 1u << 3);
  r.inputs.push((r.weights * (dw - ir::broadcast(delta, grid))).id);
  const List<int> inside = ir::inline_graph(b, body, r.inputs);
  const Value ds = ir::cast({&b, inside[s.product_gradient()]}, q.dtype()),
              weights = ir::cast(dropped(r.weights, r.factor), v.dtype());
  List<int> made;
  made.push(products.product(ds, k, 2, s.of_query(s.width)).id);
  made.push(products.transposed_product(ds, q, s.of_key(s.width)).id);
  made.push(products.transposed_product(weights, dy, s.of_key(s.value_width)).id);
  for (int n = 0; n < wanted.size(); ++n) {
    const Value c{&b, operands[AttentionShape::first_captured + wanted[n]]};
    const Value all{&b, inside[s.product_gradient() + 1 + n]};
    made.push(ir::cast(linear_sum_to(all, c.dims()), c.dtype()).id);
  }
  return made;
}

// Whether a device has a kernel of attention i of a graph; none has by default.
struct NoAttentionKernels {
  constexpr bool operator()(const ir::Graph&, int) const { return false; }
};

// Whether a graph, or a loop's body in it, has an attention without a kernel.
template <class HasKernel = NoAttentionKernels>
constexpr bool needs_composition(const ir::Graph& g, HasKernel has_kernel = {}) {
  for (int i = 0; i < g.nodes.size(); ++i) {
    if (ir::is_attention(g.nodes[i].op) && !has_kernel(g, i)) return true;
    if (g.nodes[i].op == Op::loop && needs_composition(ir::loop_body(g, i), has_kernel)) return true;
  }
  return false;
}

template <class HasKernel = NoAttentionKernels>
constexpr ir::Graph decompose_attention(ir::Graph&& g, HasKernel has_kernel = {}) {
  if (g.bodies.empty() || !needs_composition(g, has_kernel)) return static_cast<ir::Graph&&>(g);
  const int n = g.nodes.size();
  ir::Builder b(g, 2 * n);
  List<int> moved(n, -1), operands;
  List<List<int>> results;  // of each attention
  List<int> results_of(n, -1);
  for (int i = 0; i < n; ++i) {
    ir::Node node = g.nodes[i];
    operands.clear();
    for (int k = 0; k < node.arity; ++k) operands.push(moved[g.in(i, k)]);
    if (ir::is_attention(node.op) && !has_kernel(g, i)) {
      const ir::AttentionShape s = ir::attention_shape(g, i);
      const ir::Graph body = ir::attention_body(g, i);
      if (body.key_input >= 0 && b.graph.key_input < 0)  // random numbers stand in the loop's body itself now
        b.graph.key_input = static_cast<int>(b.graph.nodes[operands[s.key()]].imm);
      List<int> made;
      if (s.is_gradient) {
        List<int> wanted;
        for (int k = 0; k < ir::captured_gradients(g, i); ++k) wanted.push(ir::captured_gradient(g, i, k));
        made = decompose_gradient(b, s, body, wanted, operands);
      } else {
        const DecomposedAttention forward = decompose(b, s, body, operands);
        made.push(forward.y.id);
        made.push(forward.lse.id);
      }
      results_of[i] = results.size();
      results.push(static_cast<List<int>&&>(made));
      continue;
    }
    if (node.op == Op::result && results_of[g.in(i, 0)] >= 0) {
      const int value = results[results_of[g.in(i, 0)]][static_cast<int>(node.imm)];
      moved[i] = ir::cast({&b, value}, node.dtype).id;
      continue;
    }
    if (ir::is_attention(node.op))
      node.imm = static_cast<u64>(ir::add_body(b.graph, ir::attention_body(g, i)));
    else if (node.op == Op::loop)
      node.imm =
          static_cast<u64>(ir::add_body(b.graph, decompose_attention(ir::loop_body(g, i), has_kernel)));
    moved[i] = b.add(node, operands.data(), node.arity);
  }
  for (const int x : g.inputs) b.graph.inputs.push(x < 0 ? -1 : moved[x]);
  for (const int x : g.outputs) b.graph.outputs.push(moved[x]);
  for (const ir::Assign& a : g.assigns) b.graph.assigns.push({a.slot, moved[a.node]});
  return static_cast<ir::Graph&&>(b.graph);
}

}  // namespace WEFT_NAMESPACE::transforms
