#pragma once
// The gradient of an attention is one more region: of the body it needs the scores and what is captured, of
// the forward pass its result and the log-sum-exp of each row. The gradient of that is the composition's.

#include "weft/transforms/decompose_attention.hpp"
#include "weft/transforms/differentiate.hpp"

namespace WEFT_NAMESPACE::transforms {

// The body of the gradient: the gradients of the product and of the captured tensors that are `wanted`, at
// each place. A tensor's is that of what stands for it on the grid.
constexpr ir::Graph attention_gradient_body(ir::Graph&& forward, const ir::AttentionShape& s,
                                            const List<int>& wanted) {
  ir::Builder r(static_cast<ir::Graph&&>(forward));
  const Dims grid = s.grid();
  const auto on_grid = [&](int number) {
    const int x = r.graph.inputs[number];
    for (int i = 0; i < r.graph.nodes.size(); ++i)
      if (r.graph.nodes[i].op == Op::broadcast && r.graph.in(i, 0) == x) return i;
    return x;
  };
  if (r.graph.inputs[0] < 0) r.graph.inputs[0] = r.leaf(Op::input, s.wide, grid, 0);
  List<int> wrt(1, r.graph.inputs[0]);
  for (const int k : wanted) wrt.push(on_grid(1 + k));
  const int seed = r.leaf(Op::input, s.wide, grid, static_cast<u64>(r.graph.inputs.size()));
  r.graph.inputs.push(seed);
  for (const Value& v : differentiate({&r, r.graph.outputs[0]}, {&r, seed}, wrt))
    r.graph.outputs.push(v ? ir::cast(v, s.wide).id : r.constant(s.wide, grid, 0));
  return static_cast<ir::Graph&&>(r.graph);
}

// Node i of the graph, an attention, of whose result y the gradient is `dy`: those of its operands, -1 where
// there is none or none is needed.
constexpr List<int> differentiate_attention(ir::Builder& b, int i, int dy, const List<u8>& needed) {
  using ir::AttentionShape;
  const AttentionShape s = ir::attention_shape(b.graph, i);
  ir::Graph body = ir::attention_body(b.graph, i);
  List<int> operands, wanted;
  for (int k = 0; k < s.operands(); ++k) operands.push(b.graph.in(i, k));
  for (int k = 0; k < s.captured; ++k) {
    const int at = AttentionShape::first_captured + k;
    if (needed[at] && is_float(b.graph.nodes[operands[at]].dtype) && body.inputs[1 + k] >= 0) wanted.push(k);
  }
  const Value q{&b, operands[0]}, region{&b, i}, g{&b, dy};
  const Value y = ir::attention_result(region, AttentionShape::y, g.dtype()),
              lse = ir::attention_result(region, AttentionShape::row_lse, s.wide);
  const Value products = ir::cast(g, s.wide) * ir::cast(y, s.wide);
  operands.push(ir::cast(g, q.dtype()).id);
  operands.push(lse.id);
  operands.push(ir::reshape(ir::reduce(Op::reduce_sum, products, 1u << 3), s.rows()).id);
  const ir::Graph gradient_body = attention_gradient_body(static_cast<ir::Graph&&>(body), s, wanted);
  const Value gradient = ir::attention_gradient(b, gradient_body, operands, s.captured, s.drops, wanted);
  List<int> out(s.operands(), -1);
  for (int k = 0; k < 3; ++k)
    if (needed[k]) out[k] = ir::attention_result(gradient, k, q.dtype()).id;
  for (int n = 0; n < wanted.size(); ++n) {
    const int at = AttentionShape::first_captured + wanted[n];
    out[at] = ir::attention_result(gradient, AttentionShape::first_captured_gradient + n,
                                   b.graph.nodes[operands[at]].dtype)
                  .id;
  }
  return out;
}

// Node i, an attention_gradient, of whose results `results` the gradients are `adjoint`: those of q, k, v,
// the captured tensors and dy, by the composition, of which lse and delta are no operands.
constexpr List<int> differentiate_attention_gradient(ir::Builder& b, int i, const List<int>& results,
                                                     const List<int>& adjoint, const List<u8>& needed) {
  const ir::AttentionShape s = ir::attention_shape(b.graph, i);
  List<int> wanted;
  for (int k = 0; k < ir::captured_gradients(b.graph, i); ++k)
    wanted.push(ir::captured_gradient(b.graph, i, k));
  ir::Builder apart;
  apart.graph.scalar_count = b.graph.scalar_count;
  apart.graph.streams = b.graph.streams;
  apart.graph.is_body = b.graph.is_body;
  List<int> inputs, operands, wrt, at;
  const auto input = [&](int node) {
    const Value x{&b, node};
    inputs.push(apart.leaf(Op::input, x.dtype(), x.dims(), static_cast<u64>(inputs.size())));
    operands.push(node);
    return inputs.back();
  };
  for (int k = 0; k < s.operands(); ++k) {
    const int x = input(b.graph.in(i, k));
    if (k > s.dy() || !needed[k] || !is_float(apart.graph.nodes[x].dtype)) continue;
    wrt.push(x);
    at.push(k);
  }
  const List<int> gradients = decompose_gradient(apart, s, ir::attention_body(b.graph, i), wanted, inputs);
  List<int> ys, seeds;
  for (int k = 0; k < results.size(); ++k) {
    ys.push(gradients[static_cast<int>(b.graph.nodes[results[k]].imm)]);
    const int seed = input(adjoint[k]);
    seeds.push(ir::cast({&apart, seed}, apart.graph.nodes[ys.back()].dtype).id);
  }
  List<int> out(s.operands(), -1), found;
  for (const Value& v : differentiate(apart, ys, seeds, wrt)) {
    if (v) apart.graph.outputs.push(v.id);
    found.push(v ? apart.graph.outputs.size() - 1 : -1);
  }
  const List<int> made = ir::inline_graph(b, apart.graph, operands);
  for (int n = 0; n < found.size(); ++n)
    if (found[n] >= 0) out[at[n]] = made[found[n]];
  return out;
}

}  // namespace WEFT_NAMESPACE::transforms
