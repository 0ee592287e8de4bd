#pragma once
// Attention without a score matrix in memory: a region whose body is what happens to one score between the
// two products. Law: it is softmax(score) v of score = body(q k^T), with a row that may attend to nothing all
// zeros; its gradient needs of the forward pass the result and the log-sum-exp of each row alone.
//
//   attention(q (B, Hq, L, E), k (B, H, S, E), v (B, H, S, Ev), captured...)
//     -> y (B, Hq, L, Ev), lse (B, Hq, 2, L): Hq / H neighbouring heads of q share a head of k and v
//   attention_gradient(q, k, v, captured..., dy (B, Hq, L, Ev), lse, delta (B, Hq, L): row sums of dy * y)
//     -> dq, dk, dv, and the gradients of some captured tensors
//
// Of each row lse has the log-sum-exp and, in its second plane, what its rounding left: beside a greatest
// score of -1e9, which a mask makes, nothing is left of the logarithm of a sum.
//
// The body is a graph of arithmetic on values of one shape, the grid (B, Hq, L, S). Its inputs: the product
// q k^T, then what is captured, each (B, Hq, L, S) with extents of 1 where it does not vary; where it draws
// random numbers inside a loop, the last of them is the key (key_input). Its outputs: the score, and where
// weights are dropped a factor of each weight. The body of a gradient has one more input, the gradient of the
// score, and further outputs: the gradient of the product, then for some captured tensors the gradient at
// each place of the grid, which is summed over the axes along which the tensor does not vary.
//
// (Dao, Fu, Ermon, Rudra, Re: FlashAttention, 2022. Dao: FlashAttention-2, 2023. Dong, Feng, Guessous, Liang,
// He: Flex Attention, 2024.)

#include "weft/ir/freeze.hpp"
#include "weft/ir/loop.hpp"

namespace WEFT_NAMESPACE::ir {

struct AttentionShape {
  i64 batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0, width = 0, value_width = 0;
  int captured = 0;          // the key of random numbers among them
  bool drops = false;        // the body has a factor of the weights
  bool is_gradient = false;  // attention_gradient
  DType wide = DType::f32;   // of scores, sums and log-sum-exp

  constexpr Dims grid() const { return make_dims(batch, heads, queries, keys); }
  constexpr Dims rows() const { return make_dims(batch, heads, queries); }
  constexpr Dims row_lses() const { return make_dims(batch, heads, 2, queries); }
  constexpr Dims of_query(i64 last) const { return make_dims(batch, heads, queries, last); }
  constexpr Dims of_key(i64 last) const { return make_dims(batch, kv_heads, keys, last); }

  static constexpr int q = 0, k = 1, v = 2, first_captured = 3;
  // Of a gradient.
  constexpr int dy() const { return first_captured + captured; }
  constexpr int lse() const { return dy() + 1; }
  constexpr int delta() const { return dy() + 2; }
  constexpr int key() const { return dy() - 1; }  // where the body has one
  constexpr int operands() const { return is_gradient ? delta() + 1 : dy(); }
  // Results of a gradient: 0, 1, 2 those of q, k and v, then those of captured tensors.
  static constexpr int y = 0, row_lse = 1, forward_results = 2, first_captured_gradient = 3;
  // The body's inputs and outputs.
  constexpr int score_gradient() const { return 1 + captured; }
  constexpr int inputs() const { return 1 + captured + (is_gradient ? 1 : 0); }
  constexpr int product_gradient() const { return drops ? 2 : 1; }

 private:
  static constexpr Dims make_dims(i64 a, i64 b, i64 c) { return {3, {a, b, c}}; }
  static constexpr Dims make_dims(i64 a, i64 b, i64 c, i64 d) { return {4, {a, b, c, d}}; }
};

// List: how many are captured, whether weights are dropped; of a gradient, the captured tensors whose
// gradients it has.
constexpr AttentionShape attention_shape(const Graph& g, int node) {
  const Dims &q = g.dims(g.in(node, 0)), &k = g.dims(g.in(node, 1)), &v = g.dims(g.in(node, 2));
  AttentionShape s;
  s.batch = q.extent[0], s.heads = q.extent[1], s.queries = q.extent[2], s.width = q.extent[3];
  s.kv_heads = k.extent[1], s.keys = k.extent[2], s.value_width = v.extent[3];
  s.captured = static_cast<int>(g.attribute(node, 0));
  s.drops = g.attribute(node, 1) != 0;
  s.is_gradient = g.nodes[node].op == Op::attention_gradient;
  return s;
}
// Of a gradient: how many captured tensors it has gradients of, and which the nth is.
constexpr int captured_gradients(const Graph& g, int node) { return g.attributes(node) - 2; }
constexpr int captured_gradient(const Graph& g, int node, int nth) {
  return static_cast<int>(g.attribute(node, 2 + nth));
}

constexpr Graph attention_body(const Graph& g, int node) { return region_body(g, node); }

constexpr Value attention(Builder& b, const Graph& body, const List<int>& operands, bool drops) {
  const i64 list[2]{operands.size() - AttentionShape::first_captured, drops};
  Node node{Op::attention, DType::u8};
  node.shape = b.shape(Dims{});
  node.list = b.list(list, 2);
  node.imm = static_cast<u64>(add_body(b.graph, body));
  return {&b, b.add(node, operands.data(), operands.size())};
}
// `captured`: of how many tensors behind v; `wanted`: those whose gradients the body ends with.
constexpr Value attention_gradient(Builder& b, const Graph& body, const List<int>& operands, int captured,
                                   bool drops, const List<int>& wanted) {
  List<i64> list;
  list.push(captured);
  list.push(drops);
  for (const int k : wanted) list.push(k);
  Node node{Op::attention_gradient, DType::u8};
  node.shape = b.shape(Dims{});
  node.list = b.list(list.data(), list.size());
  node.imm = static_cast<u64>(add_body(b.graph, body));
  return {&b, b.add(node, operands.data(), operands.size())};
}

// The extents of result `which` of either.
constexpr Dims attention_result_dims(const Graph& g, int node, int which) {
  const AttentionShape s = attention_shape(g, node);
  if (!s.is_gradient) return which == AttentionShape::y ? s.of_query(s.value_width) : s.row_lses();
  if (which < AttentionShape::first_captured_gradient) return g.dims(g.in(node, which));
  const int captured = captured_gradient(g, node, which - AttentionShape::first_captured_gradient);
  return g.dims(g.in(node, AttentionShape::first_captured + captured));
}
// Result `which`; a result that several dtypes can hold has `dtype`.
constexpr Value attention_result(Value region, int which, DType dtype) {
  const Dims d = attention_result_dims(region.builder->graph, region.id, which);
  return region_result(region, which, dtype, d);
}

// The result row_lse of a sum and a greatest score for each row; 0 is the sum of a row that attends to
// nothing.
constexpr Value row_lse_of(const AttentionShape& s, Value total, Value top) {
  const Dims row{4, {s.batch, s.heads, 1, s.queries}};
  const Value sum = reshape(total, row), most = reshape(top, row), log = unary(Op::log, sum);
  const Value lse = log + most, zero = constant_like(sum, 0);
  const Value left = select(binary(Op::eq, sum, zero), zero, (most - lse) + log);
  constexpr i64 first[8]{0, 0, 0, 0, 0, 1}, second[8]{0, 0, 0, 0, 1};
  return pad(lse, first, 0) + pad(left, second, 0);
}

// What is wrong with node i, one of the two, whose body keeps its own rules; null where nothing is.
constexpr const char* attention_fault(const Graph& g, int i, const Graph& body) {
  const Node& n = g.nodes[i];
  if (n.arity < 3 || n.list < 0 || g.attributes(i) < 2) return "attention: no operands or attributes";
  for (int k = 0; k < 3; ++k)
    if (g.dims(g.in(i, k)).rank != 4) return "attention: q, k and v have four axes";
  const AttentionShape s = attention_shape(g, i);
  if (s.captured < 0 || s.operands() != n.arity) return "attention: wrong number of operands";
  const DType t = g.nodes[g.in(i, 0)].dtype;
  if (g.nodes[g.in(i, 1)].dtype != t || g.nodes[g.in(i, 2)].dtype != t || !is_float(t))
    return "attention: q, k and v are floats of one dtype";
  if (s.kv_heads < 1 || s.heads % s.kv_heads != 0 || g.dims(g.in(i, 1)) != s.of_key(s.width) ||
      g.dims(g.in(i, 2)) != s.of_key(s.value_width))
    return "attention: the extents of q, k and v do not fit";
  if (!body.is_body || !body.assigns.empty() || body.inputs.size() != s.inputs())
    return "attention: its body's inputs are not the region's";
  const Dims grid = s.grid();
  for (int k = 0; k < s.captured; ++k) {
    const Dims& d = g.dims(g.in(i, AttentionShape::first_captured + k));
    const int x = body.inputs[1 + k];
    if (x >= 0 && (body.dims(x) != d ||
                   body.nodes[x].dtype != g.nodes[g.in(i, AttentionShape::first_captured + k)].dtype))
      return "attention: a captured tensor has another dtype or shape in the body";
    if (1 + k == body.key_input) continue;
    bool fits = d.rank == 4;
    for (int a = 0; fits && a < 4; ++a) fits = d.extent[a] == 1 || d.extent[a] == grid.extent[a];
    if (!fits) return "attention: a captured tensor does not lie along the grid";
  }
  const int wanted = s.is_gradient ? captured_gradients(g, i) : 0;
  if (body.outputs.size() != s.product_gradient() + (s.is_gradient ? 1 + wanted : 0))
    return "attention: its body's outputs are not the region's";
  for (const int x : body.outputs)
    if (body.dims(x) != grid || body.nodes[x].dtype != s.wide)
      return "attention: an output of its body is not on the grid";
  if (!s.is_gradient) return nullptr;
  for (int k = 0; k < wanted; ++k)
    if (const int c = captured_gradient(g, i, k); c < 0 || c >= s.captured || 1 + c == body.key_input)
      return "attention: the gradient of what is not captured";
  if (g.dims(g.in(i, s.dy())) != s.of_query(s.value_width) || g.nodes[g.in(i, s.dy())].dtype != t)
    return "attention: the gradient of its result has another dtype or shape";
  if (g.dims(g.in(i, s.lse())) != s.row_lses() || g.nodes[g.in(i, s.lse())].dtype != s.wide)
    return "attention: log-sum-exp is not two numbers a row";
  if (g.dims(g.in(i, s.delta())) != s.rows() || g.nodes[g.in(i, s.delta())].dtype != s.wide)
    return "attention: delta is not one number a row";
  return nullptr;
}
constexpr const char* attention_result_fault(const Graph& g, int i) {
  const int region = g.in(i, 0), which = static_cast<int>(g.nodes[i].imm);
  const AttentionShape s = attention_shape(g, region);
  const int results = s.is_gradient ? AttentionShape::first_captured_gradient + captured_gradients(g, region)
                                    : AttentionShape::forward_results;
  if (which < 0 || which >= results) return "attention has no such result";
  if (!is_float(g.nodes[i].dtype)) return "attention: a result that is no float";
  return g.dims(i) == attention_result_dims(g, region, which) ? nullptr : "attention: wrong result shape";
}

}  // namespace WEFT_NAMESPACE::ir
