#pragma once
// An attention, or the gradient of one, as a step: its body as instructions
// (kernels/attention/score_code.hpp), operands read through their views.

#include "weft/compiler/lowered.hpp"
#include "weft/ir/attention.hpp"
#include "weft/kernels/attention/score_code.hpp"

namespace WEFT_NAMESPACE::compiler {

// The body of an attention as instructions.
class ScoreLowering {
 public:
  constexpr ScoreLowering(const ir::Graph& body, const ir::AttentionShape& shape)
      : g(body), s_(shape), register_(body.nodes.size(), -1) {
    find_runs();
    for (int run = 0; run < 3; ++run) {
      for (int i = 0; i < g.nodes.size(); ++i)
        if (run_[i] == run) emit(i);
      ends_[run] = count_;
    }
  }

  // Ends of the runs of instructions, the words, the random streams in the order of their numbers.
  constexpr int end(int run) const { return ends_[run]; }
  constexpr const List<u64>& words() const { return words_; }
  constexpr const List<u64>& streams() const { return streams_; }
  constexpr int of_output(int k) const { return register_[g.outputs[k]]; }

 private:
  static constexpr int row = 0, score = 1, gradient = 2, unused = 3;

  // Inputs are read where they are broadcast, or by who reads them as they are.
  constexpr bool is_captured(int i) const {
    return g.nodes[i].op == ir::Op::input && static_cast<int>(g.nodes[i].imm) != g.key_input;
  }
  constexpr void find_runs() {
    const int n = g.nodes.size();
    List<u8> by_key(n, 0), live(n, 0), early(n, 0);
    for (int i = 0; i < n; ++i) {
      const ir::Node& node = g.nodes[i];
      if (node.op == ir::Op::input) {
        const int which = static_cast<int>(node.imm);
        by_key[i] = which == 0 || (s_.is_gradient && which == s_.score_gradient()) || g.dims(i).extent[3] > 1;
      } else {
        by_key[i] = node.op == ir::Op::random || (node.op == ir::Op::iota && node.imm == 3);
        for (int k = 0; k < node.arity; ++k) by_key[i] = by_key[i] || by_key[g.in(i, k)];
      }
    }
    for (int k = 0; k < g.outputs.size(); ++k) {
      live[g.outputs[k]] = 1;
      if (k < s_.product_gradient()) early[g.outputs[k]] = 1;
    }
    run_ = List<int>(n, unused);
    for (int i = n - 1; i >= 0; --i) {
      if (!live[i]) continue;
      const ir::Node& node = g.nodes[i];
      if (node.op != ir::Op::broadcast)
        for (int k = 0; k < node.arity; ++k) {
          live[g.in(i, k)] = 1;
          early[g.in(i, k)] = early[g.in(i, k)] || early[i];
        }
      run_[i] = !by_key[i] ? row : early[i] ? score : gradient;
    }
  }

  constexpr void emit(int i) {
    using kernels::Opcode;
    const ir::Node& node = g.nodes[i];
    kernels::Instruction in;
    in.dtype = static_cast<u8>(node.dtype);
    if (node.op == ir::Op::input || node.op == ir::Op::broadcast) {
      const int x = node.op == ir::Op::input ? i : g.in(i, 0), which = static_cast<int>(g.nodes[x].imm);
      in.op = Opcode::load;
      in.aux =
          static_cast<u16>(which == 0                                       ? kernels::load_product
                           : s_.is_gradient && which == s_.score_gradient() ? kernels::load_score_gradient
                                                                            : which - 1);
    } else if (node.op == ir::Op::constant) {
      in.op = Opcode::constant;
      in.imm = node.imm;
    } else if (node.op == ir::Op::iota) {
      in.op = Opcode::index;
      in.aux = static_cast<u16>(node.imm);
    } else if (node.op == ir::Op::random) {
      in.op = Opcode::random;
      in.aux = static_cast<u16>(streams_.size());
      streams_.push(node.imm);
    } else {
      in.op = static_cast<Opcode>(static_cast<int>(node.op) - static_cast<int>(ir::Op::neg));
      u16* const operands[3]{&in.a, &in.b, &in.c};
      for (int k = 0; k < node.arity; ++k) *operands[k] = static_cast<u16>(register_[g.in(i, k)]);
    }
    register_[i] = count_++;
    u64 w[kernels::instruction_words]{};
    kernels::encode(in, w);
    words_.append(w, kernels::instruction_words);
  }

  const ir::Graph& g;
  ir::AttentionShape s_;
  List<int> run_, register_;
  List<u64> words_, streams_;
  int count_ = 0;
  int ends_[3]{};
};

constexpr void lower_attention(const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan,
                               int k, Lowered& out) {
  using ir::AttentionShape;
  using kernel_ir::BufferAddress;
  const int node = f.kernels[k].opaque;
  const AttentionShape s = ir::attention_shape(g, node);
  const ir::Graph body = ir::attention_body(g, node);
  const ScoreLowering score(body, s);
  List<int> result(s.is_gradient ? AttentionShape::first_captured_gradient + ir::captured_gradients(g, node)
                                 : AttentionShape::forward_results,
                   -1);
  const ir::Span stores = f.kernels[k].stores;
  for (int i = 0; i < stores.size; ++i) {
    const int x = f.pool[stores.begin + i];
    result[static_cast<int>(g.nodes[x].imm)] = x;
  }
  const auto where = [&](int which) {
    return result[which] < 0 ? BufferAddress::none : plan.where[result[which]];
  };
  const auto dtype_of_result = [&](int which) {
    return result[which] < 0 ? DType::f32 : g.nodes[result[which]].dtype;
  };
  const bool has_key = body.key_input >= 0;
  const int captured = s.captured - (has_key ? 1 : 0);

  List<u64> code, addresses, numbers;
  for (const i64 n : {s.batch, s.heads, s.kv_heads, s.queries, s.keys, s.width, s.value_width})
    numbers.push(static_cast<u64>(n));
  i64 bytes = 0;
  const auto operand = [&](int which) {  // its strides go with its address
    const int x = g.in(node, which);
    const kernel_ir::View v = f.view_in(g, x, k);
    for (int a = 0; a < g.dims(x).rank; ++a) numbers.push(static_cast<u64>(v.stride[a]));
    addresses.push(plan.address(v, g.nodes[x].dtype));
    bytes += kernel_ir::bytes_of(g, x);
  };
  for (const int which : {AttentionShape::q, AttentionShape::k, AttentionShape::v}) operand(which);
  addresses.push(
      has_key
          ? plan.address(f.view_in(g, g.in(node, AttentionShape::first_captured + captured), k), DType::u32)
          : BufferAddress::make(ir::Space::scalars, 0));
  if (s.is_gradient) {
    operand(s.dy());
    operand(s.lse());
    operand(s.delta());
    for (int which = 0; which < 3; ++which) addresses.push(where(which));
  } else {
    for (int n = 0; n < 4 + 4 + 3; ++n) numbers.push(0);
    addresses.push(where(AttentionShape::y));
    addresses.push(where(AttentionShape::row_lse));
  }
  for (int c = 0; c < captured; ++c) operand(AttentionShape::first_captured + c);
  for (const u64 stream : score.streams()) numbers.push(stream);

  kernels::AttentionHeader h;
  h.factors = g.nodes[g.in(node, 0)].dtype;
  for (int r = 0; r < (s.is_gradient ? 3 : 1); ++r) h.results[r] = dtype_of_result(r);
  h.drops = s.drops;
  h.is_gradient = s.is_gradient;
  h.captured = captured;
  h.streams = score.streams().size();
  h.row_end = score.end(0);
  h.score_end = score.end(1);
  h.instructions = score.end(2);
  h.score = score.of_output(0);
  h.factor = s.drops ? score.of_output(1) : 0;
  h.product_gradient = s.is_gradient ? score.of_output(s.product_gradient()) : 0;
  u64 header[kernels::AttentionHeader::words]{};
  h.encode(header);
  code.append(header, kernels::AttentionHeader::words);
  int products = s.is_gradient ? 0 : 2;
  for (int r = 0; s.is_gradient && r < 3; ++r) products += result[r] >= 0;
  for (int c = 0; c < captured; ++c) {
    const int x = g.in(node, AttentionShape::first_captured + c);
    kernels::CapturedWord word;
    word.dtype = g.nodes[x].dtype;
    for (int a = 0; a < 4; ++a)
      if (g.dims(x).extent[a] > 1) word.axes = static_cast<u8>(word.axes | 1 << a);
    int which = -1;
    for (int n = 0; s.is_gradient && n < ir::captured_gradients(g, node); ++n)
      if (ir::captured_gradient(g, node, n) == c) which = n;
    if (which >= 0) {
      const int r = AttentionShape::first_captured_gradient + which;
      word.has_gradient = result[r] >= 0;
      word.result = dtype_of_result(r);
      word.gradient = score.of_output(s.product_gradient() + 1 + which);
      if (result[r] >= 0) products += 2;
    }
    code.push(word.encode());
    if (s.is_gradient)
      addresses.push(which >= 0 ? where(AttentionShape::first_captured_gradient + which)
                                : BufferAddress::none);
  }
  code.append(score.words().data(), score.words().size());
  for (const int x : result)
    if (x >= 0) bytes += kernel_ir::bytes_of(g, x);
  const StepKind kind = s.is_gradient ? StepKind::attention_gradient : StepKind::attention;
  Step& step = out.step(kind, out.kernel(kind, code), addresses, numbers);
  step.bytes = bytes;
  // products of queries and keys, of width or value width each: about two of either are made anew
  step.flops = (s.is_gradient ? products + 2 : products) * s.grid().size() * (s.width + s.value_width);
}

}  // namespace WEFT_NAMESPACE::compiler
