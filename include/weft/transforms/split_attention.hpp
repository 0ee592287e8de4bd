#pragma once
// Attention of few queries against many keys, as in decoding, split along the keys: parts of the keys are a
// batch of attentions, whose results are put together by each part's log-sum-exp. Law: how many parts there
// are depends on the extents alone, and they are added in one order, so that no number of threads or blocks
// changes a bit.
//
// (Dao, Haziza, Massa, Sizov: Flash-Decoding for long-context inference, 2023.)

#include "weft/ir/attention.hpp"
#include "weft/ir/inline_graph.hpp"

namespace WEFT_NAMESPACE::transforms {

// Into how many parts the keys of attention i of a graph are split; 1: it stays as it is. With a batch of
// one: its axis becomes that of the parts, so that no key is moved.
constexpr i64 key_parts(const ir::Graph& g, int i) {
  constexpr i64 most_queries = 16, fewest_keys = 2048, enough_blocks = 256;
  if (g.nodes[i].op != ir::Op::attention) return 1;
  const ir::AttentionShape s = ir::attention_shape(g, i);
  if (s.batch != 1 || s.queries > most_queries || s.keys < 2 * fewest_keys) return 1;
  for (const ir::Node& node : ir::attention_body(g, i).nodes)
    if (node.op == ir::Op::random) return 1;  // the numbers belong to places of the grid
  i64 parts = 1;
  while (s.keys % (2 * parts) == 0 && s.keys / (2 * parts) >= fewest_keys &&
         2 * parts * s.heads <= enough_blocks)
    parts *= 2;
  return parts;
}

constexpr bool splits_attention(const ir::Graph& g) {
  if (g.bodies.empty()) return false;
  const ir::Node* const nodes = g.nodes.data();
  for (int i = 0, n = g.nodes.size(); i < n; ++i) {
    const ir::Op op = nodes[i].op;
    if (op == ir::Op::attention ? key_parts(g, i) > 1
                                : op == ir::Op::loop && splits_attention(ir::loop_body(g, i)))
      return true;
  }
  return false;
}

// The body on the grid (parts, Hq, L, S / parts).
constexpr ir::Graph body_of_parts(const ir::Graph& body, const ir::AttentionShape& s, i64 parts,
                                  const List<Dims>& captured) {
  using ir::Op;
  ir::Builder b(body.nodes.size() + 8);
  b.graph.is_body = true;
  b.graph.scalar_count = body.scalar_count;
  b.graph.streams = body.streams;
  const Dims grid{4, {parts, s.heads, s.queries, s.keys / parts}};
  const int n = body.nodes.size();
  List<int> moved(n, -1), operands;
  b.graph.inputs = List<int>(body.inputs.size(), -1);
  for (int i = 0; i < n; ++i) {
    const ir::Node& node = body.nodes[i];
    if (node.op == Op::input) {
      const int which = static_cast<int>(node.imm);
      moved[i] = b.leaf(Op::input, node.dtype, which == 0 ? grid : captured[which - 1], node.imm);
      b.graph.inputs[which] = moved[i];
    } else if (node.op == Op::iota && node.imm == 0) {  // the one batch
      moved[i] = ir::constant(b, node.dtype, grid, 0).id;
    } else if (node.op == Op::iota && node.imm == 3) {
      const ir::Value in_part{&b, b.leaf(Op::iota, node.dtype, grid, 3)},
          part{&b, b.leaf(Op::iota, node.dtype, grid, 0)};
      moved[i] = (in_part + part * static_cast<double>(s.keys / parts)).id;
    } else if (node.op == Op::iota) {
      moved[i] = b.leaf(Op::iota, node.dtype, grid, node.imm);
    } else if (node.op == Op::constant) {
      moved[i] = b.constant(node.dtype, b.shape(grid), node.imm);
    } else {
      operands.clear();
      for (int k = 0; k < node.arity; ++k) operands.push(moved[body.in(i, k)]);
      ir::Node copy = node;
      copy.shape = b.shape(grid);
      moved[i] = b.add(copy, operands.data(), node.arity);
    }
  }
  for (const int x : body.outputs) b.graph.outputs.push(moved[x]);
  return static_cast<ir::Graph&&>(b.graph);
}

// The results of an attention: y, and what the log-sum-exp of each row is made of.
struct SplitAttention {
  ir::AttentionShape shape;
  ir::Value y, total, top;

  constexpr ir::Value result(int which) const {
    return which == ir::AttentionShape::y ? y : ir::row_lse_of(shape, total, top);
  }
};
// Those of attention i of `g`, of operands that stand in b.
constexpr SplitAttention split_attention(ir::Builder& b, const ir::Graph& g, int i,
                                         const List<int>& operands) {
  using ir::AttentionShape, ir::Op, ir::Value;
  const AttentionShape s = ir::attention_shape(g, i);
  const i64 parts = key_parts(g, i), keys = s.keys / parts;
  // (1, H, S, x) as (parts, H, keys, x)
  const auto by_part = [&](int x) {
    const Value v{&b, x};
    const Dims d = v.dims();
    const i64 order[4]{1, 0, 2, 3};
    return ir::permute(ir::reshape(v, {4, {d.extent[1], parts, keys, d.extent[3]}}), order).id;
  };
  List<int> of_parts;
  const Value q{&b, operands[AttentionShape::q]};
  of_parts.push(ir::broadcast(q, {4, {parts, s.heads, s.queries, s.width}}).id);
  of_parts.push(by_part(operands[AttentionShape::k]));
  of_parts.push(by_part(operands[AttentionShape::v]));
  List<Dims> captured;
  for (int k = 0; k < s.captured; ++k) {
    Value c{&b, operands[AttentionShape::first_captured + k]};
    const Dims d = c.dims();
    if (d.extent[3] > 1) {  // (1, h, l, S) as (parts, h, l, keys)
      const i64 order[4]{2, 0, 1, 3};
      c = ir::permute(ir::reshape(c, {4, {d.extent[1], d.extent[2], parts, keys}}), order);
    }
    of_parts.push(c.id);
    captured.push(c.dims());
  }
  const Value region =
      ir::attention(b, body_of_parts(ir::attention_body(g, i), s, parts, captured), of_parts, false);
  const Value y = ir::attention_result(region, AttentionShape::y, s.wide),
              both = ir::attention_result(region, AttentionShape::row_lse, s.wide);  // (parts, Hq, 2, L)
  const auto plane = [&](i64 k) {
    ir::Slices whole;
    whole[2] = {k, 1};
    return ir::reshape(ir::slice(both, whole.axis, {4, {parts, s.heads, 1, s.queries}}),
                       {3, {parts, s.heads, s.queries}});
  };
  const Value lse = plane(0), left = plane(1);
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  const auto in_place_of = [](Value x, double of, double other) {
    return ir::select(ir::binary(Op::eq, x, ir::constant_like(x, of)), ir::constant_like(x, other), x);
  };
  const Value top = in_place_of(ir::reduce(Op::reduce_max, lse, 1u << 0), lowest, 0);
  const Value e = ir::unary(Op::exp, (lse - ir::broadcast(top, lse.dims())) + left);
  const Value total = ir::reduce(Op::reduce_sum, e, 1u << 0);
  const Value share = e / ir::broadcast(in_place_of(total, 0, 1), lse.dims());
  const Value mixed = y * ir::broadcast(ir::reshape(share, {4, {parts, s.heads, s.queries, 1}}), y.dims());
  return {s, ir::reshape(ir::reduce(Op::reduce_sum, mixed, 1u << 0), s.of_query(s.value_width)), total, top};
}

constexpr ir::Graph split_attention(ir::Graph&& g) {
  if (!splits_attention(g)) return static_cast<ir::Graph&&>(g);
  using ir::Op, ir::Value;
  const int n = g.nodes.size();
  ir::Builder b(g, 2 * n);
  List<int> moved(n, -1), operands, split(n, -1);
  List<SplitAttention> made;
  for (int i = 0; i < n; ++i) {
    ir::Node node = g.nodes[i];
    operands.clear();
    for (int k = 0; k < node.arity; ++k) operands.push(moved[g.in(i, k)]);
    if (key_parts(g, i) > 1) {
      split[i] = made.size();
      made.push(split_attention(b, g, i, operands));
      continue;
    }
    if (node.op == Op::result && split[g.in(i, 0)] >= 0) {
      moved[i] = ir::cast(made[split[g.in(i, 0)]].result(static_cast<int>(node.imm)), node.dtype).id;
      continue;
    }
    if (ir::is_attention(node.op))
      node.imm = static_cast<u64>(ir::add_body(b.graph, ir::attention_body(g, i)));
    else if (node.op == Op::loop)
      node.imm = static_cast<u64>(ir::add_body(b.graph, split_attention(ir::loop_body(g, i))));
    moved[i] = b.add(node, operands.data(), node.arity);
  }
  for (const int x : g.inputs) b.graph.inputs.push(x < 0 ? -1 : moved[x]);
  for (const int x : g.outputs) b.graph.outputs.push(moved[x]);
  for (const ir::Assign& a : g.assigns) b.graph.assigns.push({a.slot, moved[a.node]});
  return static_cast<ir::Graph&&>(b.graph);
}

}  // namespace WEFT_NAMESPACE::transforms
