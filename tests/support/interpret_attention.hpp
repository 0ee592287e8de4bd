#pragma once
// Plain evaluation of an attention's step from its words, numbers and addresses: every score of a head at
// once, in doubles.

#include <cmath>
#include <vector>

#include "support/interpret_graph.hpp"
#include "weft/kernels/attention/score_code.hpp"

namespace weft::testing {

// `read(pointer, element, dtype)` and `write(pointer, element, dtype, value)` reach memory; `given(pointer)`
// says whether there is any; `seed_and_step()` returns the two.
template <class Memory>
class AttentionInterpreter {
 public:
  AttentionInterpreter(const u64* words, const u64* numbers, Memory& memory)
      : h_(kernels::AttentionHeader::decode(words)),
        words_(words),
        c_(kernels::attention_call(numbers, h_.captured)),
        memory_(memory) {
    const u64* code = words + kernels::AttentionHeader::words + h_.captured;
    for (int i = 0; i < h_.instructions; ++i)
      program_.push_back(kernels::decode(code + kernels::instruction_words * i));
    registers_.resize(program_.size());
  }

  void run() {
    using At = kernels::AttentionPointers;
    const i64 all_q = c_.batch * c_.heads * c_.queries * c_.width,
              all_k = c_.batch * c_.kv_heads * c_.keys * c_.width,
              all_v = c_.batch * c_.kv_heads * c_.keys * c_.value_width;
    std::vector<double> dq(static_cast<std::size_t>(all_q)), dk(static_cast<std::size_t>(all_k)),
        dv(static_cast<std::size_t>(all_v));
    captured_.assign(static_cast<std::size_t>(h_.captured), {});
    for (int k = 0; k < h_.captured; ++k) captured_[static_cast<std::size_t>(k)].resize(captured_size(k));
    for (i64 b = 0; b < c_.batch; ++b)
      for (i64 h = 0; h < c_.heads; ++h)
        for (i64 i = 0; i < c_.queries; ++i) {
          if (h_.is_gradient)
            backward(b, h, i, dq, dk, dv);
          else
            forward(b, h, i);
        }
    if (!h_.is_gradient) return;
    const auto leave = [&](int pointer, DType t, const std::vector<double>& from) {
      for (std::size_t k = 0; memory_.given(pointer) && k < from.size(); ++k)
        memory_.write(pointer, static_cast<i64>(k), t, rounded(t, from[k]));
    };
    leave(At::dq, h_.results[0], dq);
    leave(At::dk, h_.results[1], dk);
    leave(At::dv, h_.results[2], dv);
    for (int k = 0; k < h_.captured; ++k)
      if (word(k).has_gradient)
        leave(At::captured_gradient(h_.captured) + k, word(k).result, captured_[static_cast<std::size_t>(k)]);
  }

 private:
  using Call = kernels::AttentionCall;
  kernels::CapturedWord word(int k) const {
    return kernels::CapturedWord::decode(words_[kernels::AttentionHeader::words + k]);
  }
  std::size_t captured_size(int k) const {
    const i64 extent[4]{c_.batch, c_.heads, c_.queries, c_.keys};
    i64 n = 1;
    for (int a = 0; a < 4; ++a)
      if (word(k).axes >> a & 1) n *= extent[a];
    return static_cast<std::size_t>(n);
  }
  // Where place (b, h, i, j) is in the gradient of tensor k.
  std::size_t captured_place(int k, const i64* place) const {
    const i64 extent[4]{c_.batch, c_.heads, c_.queries, c_.keys};
    i64 at = 0;
    for (int a = 0; a < 4; ++a)
      if (word(k).axes >> a & 1) at = at * extent[a] + place[a];
    return static_cast<std::size_t>(at);
  }
  double element(Call::Operand operand, int pointer, i64 b, i64 h, i64 row, i64 column) {
    return memory_.read(pointer,
                        b * c_.stride(operand, 0) + h * c_.stride(operand, 1) + row * c_.stride(operand, 2) +
                            column * c_.stride(operand, 3),
                        h_.factors);
  }
  double key(i64 b, i64 h, i64 j, i64 e) {
    return element(Call::k, kernels::AttentionPointers::k, b, kv(h), j, e);
  }
  double value(i64 b, i64 h, i64 j, i64 e) {
    return element(Call::v, kernels::AttentionPointers::v, b, kv(h), j, e);
  }
  i64 kv(i64 h) const { return h / (c_.heads / c_.kv_heads); }

  // Runs the body at a place; `gradient`: of its score.
  void body(const i64* place, double product, double gradient) {
    using kernels::Opcode;
    for (std::size_t i = 0; i < program_.size(); ++i) {
      const kernels::Instruction& in = program_[i];
      const DType t = static_cast<DType>(in.dtype);
      const auto reg = [&](int r) { return registers_[static_cast<std::size_t>(r)]; };
      double& out = registers_[i];
      if (in.op == Opcode::constant) {
        out = rounded(t, ir::constant_value(t, in.imm));
      } else if (in.op == Opcode::index) {
        out = static_cast<double>(place[in.aux]);
      } else if (in.op == Opcode::load && in.aux == kernels::load_product) {
        out = product;
      } else if (in.op == Opcode::load && in.aux == kernels::load_score_gradient) {
        out = gradient;
      } else if (in.op == Opcode::load) {
        i64 at = 0;
        for (int a = 0; a < 4; ++a) at += place[a] * c_.captured_stride(in.aux, a);
        out = memory_.read(kernels::AttentionPointers::captured(h_.is_gradient) + in.aux, at,
                           word(in.aux).dtype);
      } else if (in.op == Opcode::random) {
        const auto [seed, step] = memory_.seed_and_step();
        const i64 linear = ((place[0] * c_.heads + place[1]) * c_.queries + place[2]) * c_.keys + place[3];
        out = random_word(seed, step, static_cast<u32>(c_.streams[in.aux]), static_cast<u32>(linear));
      } else {
        const ir::Op op = static_cast<ir::Op>(static_cast<int>(in.op) + static_cast<int>(ir::Op::neg));
        const int typed = in.op == Opcode::select ? in.b : in.a;
        out = evaluate(op, t, static_cast<DType>(program_[static_cast<std::size_t>(typed)].dtype), reg(in.a),
                       reg(in.b), reg(in.c));
      }
    }
  }
  double product(i64 b, i64 h, i64 i, i64 j) {
    double sum = 0;
    for (i64 e = 0; e < c_.width; ++e)
      sum += element(Call::q, kernels::AttentionPointers::q, b, h, i, e) * key(b, h, j, e);
    return rounded(DType::f32, sum);
  }

  void forward(i64 b, i64 h, i64 i) {
    using At = kernels::AttentionPointers;
    const auto keys = static_cast<std::size_t>(c_.keys);
    std::vector<double> score(keys), factor(keys, 1.0);
    double top = -std::numeric_limits<double>::infinity(), total = 0;
    for (i64 j = 0; j < c_.keys; ++j) {
      const i64 place[4]{b, h, i, j};
      body(place, product(b, h, i, j), 0);
      score[static_cast<std::size_t>(j)] = registers_[static_cast<std::size_t>(h_.score)];
      if (h_.drops) factor[static_cast<std::size_t>(j)] = registers_[static_cast<std::size_t>(h_.factor)];
      top = std::fmax(top, score[static_cast<std::size_t>(j)]);
    }
    const bool nothing = std::isinf(top) && top < 0;
    for (double& s : score) s = nothing ? 0 : std::exp(s - top), total += s;
    const i64 row = (b * c_.heads + h) * c_.queries + i;
    for (i64 e = 0; memory_.given(At::y) && e < c_.value_width; ++e) {
      double sum = 0;
      for (i64 j = 0; j < c_.keys; ++j)
        sum += score[static_cast<std::size_t>(j)] * factor[static_cast<std::size_t>(j)] * value(b, h, j, e);
      memory_.write(At::y, row * c_.value_width + e, h_.results[0],
                    rounded(h_.results[0], nothing ? 0 : sum / total));
    }
    if (memory_.given(At::lse)) {
      const i64 at = row + (b * c_.heads + h) * c_.queries;  // two planes a head
      const double exact = top + std::log(total), lse = nothing ? top : rounded(DType::f32, exact);
      memory_.write(At::lse, at, DType::f32, lse);
      memory_.write(At::lse, at + c_.queries, DType::f32, nothing ? 0 : rounded(DType::f32, exact - lse));
    }
  }

  void backward(i64 b, i64 h, i64 i, std::vector<double>& dq, std::vector<double>& dk,
                std::vector<double>& dv) {
    using At = kernels::AttentionPointers;
    const auto of_row = [&](bool delta, i64 plane) {
      return memory_.read(
          delta ? At::delta : At::row_lse,
          b * c_.row_stride(delta, 0) + h * c_.row_stride(delta, 1) + i * c_.row_stride(delta, 2) + plane,
          DType::f32);
    };
    const double lse = of_row(false, 0) + of_row(false, c_.lse_plane()), delta = of_row(true, 0);
    const bool nothing = std::isinf(lse) && lse < 0;
    for (i64 j = 0; j < c_.keys; ++j) {
      const i64 place[4]{b, h, i, j};
      const double p = product(b, h, i, j);
      body(place, p, 0);
      const double factor = h_.drops ? registers_[static_cast<std::size_t>(h_.factor)] : 1;
      const double weight = nothing ? 0 : std::exp(registers_[static_cast<std::size_t>(h_.score)] - lse);
      double dw = 0;
      for (i64 e = 0; e < c_.value_width; ++e)
        dw += element(Call::dy, At::dy, b, h, i, e) * value(b, h, j, e);
      body(place, p, weight * (dw * factor - delta));
      const double ds = registers_[static_cast<std::size_t>(h_.product_gradient)];
      const i64 query = (b * c_.heads + h) * c_.queries + i, at = (b * c_.kv_heads + kv(h)) * c_.keys + j;
      for (i64 e = 0; e < c_.width; ++e) {
        dq[static_cast<std::size_t>(query * c_.width + e)] += ds * key(b, h, j, e);
        dk[static_cast<std::size_t>(at * c_.width + e)] += ds * element(Call::q, At::q, b, h, i, e);
      }
      for (i64 e = 0; e < c_.value_width; ++e)
        dv[static_cast<std::size_t>(at * c_.value_width + e)] +=
            weight * factor * element(Call::dy, At::dy, b, h, i, e);
      for (int k = 0; k < h_.captured; ++k)
        if (word(k).has_gradient)
          captured_[static_cast<std::size_t>(k)][captured_place(k, place)] +=
              registers_[static_cast<std::size_t>(word(k).gradient)];
    }
  }

  kernels::AttentionHeader h_;
  const u64* words_;
  Call c_;
  Memory& memory_;
  std::vector<kernels::Instruction> program_;
  std::vector<double> registers_;
  std::vector<std::vector<double>> captured_;  // gradients
};

}  // namespace weft::testing
