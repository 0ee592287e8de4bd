#pragma once
// The code of an attention kernel: dtypes, what is captured, and the body as instructions on one place of the
// grid (batch, head, query, key). Extents, strides and random streams are launch arguments, so that all sizes
// share a kernel.
//
// Words: three of the header, one a captured tensor, then the instructions in three runs: those that are the
// same for all keys of a query, those that lead to the score and the factor of the weight, and those of the
// gradient.

#include "weft/kernels/evaluator/code.hpp"

namespace WEFT_NAMESPACE::kernels {

struct AttentionHeader {
  DType factors{};     // of q, k, v and dy
  DType results[3]{};  // y; of a gradient dq, dk, dv
  bool drops = false;  // weights have a factor
  bool is_gradient = false;
  int captured = 0;
  int streams = 0;
  int row_end = 0, score_end = 0, instructions = 0;  // ends of the runs
  int score = 0, factor = 0, product_gradient = 0;   // registers of the results

  static constexpr int words = 3;
  WEFT_HD constexpr void encode(u64* w) const {
    w[0] = static_cast<u64>(factors) | static_cast<u64>(results[0]) << 8 |
           static_cast<u64>(results[1]) << 16 | static_cast<u64>(results[2]) << 24 |
           static_cast<u64>(drops) << 32 | static_cast<u64>(is_gradient) << 33 |
           static_cast<u64>(captured) << 40 | static_cast<u64>(streams) << 48;
    w[1] =
        static_cast<u64>(row_end) | static_cast<u64>(score_end) << 16 | static_cast<u64>(instructions) << 32;
    w[2] =
        static_cast<u64>(score) | static_cast<u64>(factor) << 16 | static_cast<u64>(product_gradient) << 32;
  }
  WEFT_HD static constexpr AttentionHeader decode(const u64* w) {
    AttentionHeader h;
    h.factors = static_cast<DType>(w[0] & 255);
    for (int k = 0; k < 3; ++k) h.results[k] = static_cast<DType>(w[0] >> (8 + 8 * k) & 255);
    h.drops = (w[0] >> 32 & 1) != 0;
    h.is_gradient = (w[0] >> 33 & 1) != 0;
    h.captured = static_cast<int>(w[0] >> 40 & 255);
    h.streams = static_cast<int>(w[0] >> 48 & 255);
    h.row_end = static_cast<int>(w[1] & 0xffff);
    h.score_end = static_cast<int>(w[1] >> 16 & 0xffff);
    h.instructions = static_cast<int>(w[1] >> 32 & 0xffff);
    h.score = static_cast<int>(w[2] & 0xffff);
    h.factor = static_cast<int>(w[2] >> 16 & 0xffff);
    h.product_gradient = static_cast<int>(w[2] >> 32 & 0xffff);
    return h;
  }
};

struct CapturedWord {
  DType dtype{};
  u8 axes = 0;  // bit a: it varies along axis a of the grid
  bool has_gradient = false;
  DType result{};    // of the gradient,
  int gradient = 0;  // whose register this is, at each place
  WEFT_HD constexpr u64 encode() const {
    return static_cast<u64>(dtype) | static_cast<u64>(axes) << 8 | static_cast<u64>(has_gradient) << 16 |
           static_cast<u64>(result) << 24 | static_cast<u64>(gradient) << 32;
  }
  WEFT_HD static constexpr CapturedWord decode(u64 w) {
    return {static_cast<DType>(w & 255), static_cast<u8>(w >> 8 & 15), (w >> 16 & 1) != 0,
            static_cast<DType>(w >> 24 & 255), static_cast<int>(w >> 32)};
  }
};

// Operands of Opcode::load beside the captured tensors.
inline constexpr int load_product = 0xffff, load_score_gradient = 0xfffe;

// What a kernel takes: enough for LaunchArgs.
inline constexpr int most_captured = 12;

template <class C>
struct AttentionView {
  static constexpr AttentionHeader header = AttentionHeader::decode(C::w);
  WEFT_HD static constexpr CapturedWord captured(int k) {
    return CapturedWord::decode(C::w[AttentionHeader::words + k]);
  }
  static constexpr int instruction_at = AttentionHeader::words + header.captured;
  WEFT_HD static constexpr Instruction instruction(int i) {
    return decode(C::w + instruction_at + instruction_words * i);
  }

  // Whether instruction i leaves -infinity in place of a score where its condition does not hold: a mask.
  WEFT_HD static constexpr bool masks(int i) {
    const Instruction in = instruction(i);
    if (in.op != Opcode::select || in.dtype == static_cast<u8>(DType::boolean)) return false;
    const Instruction other = instruction(in.c);
    constexpr u64 lowest = __builtin_bit_cast(u64, -__builtin_huge_val());
    return other.op == Opcode::constant && is_float(static_cast<DType>(other.dtype)) && other.imm == lowest;
  }
  // Whether instruction i chooses by the condition of a mask.
  WEFT_HD static constexpr bool chooses_by_mask(int i) {
    if (instruction(i).op != Opcode::select) return false;
    for (int k = 0; k < header.score_end; ++k)
      if (instruction(k).a == instruction(i).a && masks(k)) return true;
    return false;
  }

  // Whether what register `r` holds is made of a random number, or of the product of a query and a key.
  WEFT_HD static constexpr bool draws(int r) { return is_made_of(r, Opcode::random, -1); }
  WEFT_HD static constexpr bool takes_product(int r) { return is_made_of(r, Opcode::load, load_product); }

 private:
  WEFT_HD static constexpr bool is_made_of(int r, Opcode op, int which) {
    bool needed[header.instructions > 0 ? header.instructions : 1]{};
    needed[r] = true;
    for (int i = r; i >= 0; --i) {
      if (!needed[i]) continue;
      const Instruction in = instruction(i);
      if (in.op == op && (which < 0 || in.aux == which)) return true;
      if (in.op == Opcode::constant || in.op == Opcode::load || in.op == Opcode::index ||
          in.op == Opcode::random)
        continue;
      needed[in.a] = true;
      if (in.op >= Opcode::add) needed[in.b] = true;
      if (in.op == Opcode::select || in.op == Opcode::fma) needed[in.c] = true;
    }
    return false;
  }
};

// The launch's numbers: extents, strides in elements, streams.
struct AttentionCall {
  i64 batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0, width = 0, value_width = 0;
  const u64* strides = nullptr;  // four of q, k, v, dy and lse each, three of delta, four a captured tensor
  const u64* streams = nullptr;

  enum Operand : int { q, k, v, dy };
  WEFT_HD i64 stride(Operand operand, int axis) const {
    return static_cast<i64>(strides[4 * operand + axis]);
  }
  // Of log-sum-exps or of delta: axes batch, heads, queries.
  WEFT_HD i64 row_stride(bool of_delta, int axis) const {
    return static_cast<i64>(strides[16 + (of_delta ? 4 + axis : axis == 2 ? 3 : axis)]);
  }
  // From a row's log-sum-exp to what its rounding left.
  WEFT_HD i64 lse_plane() const { return static_cast<i64>(strides[18]); }
  WEFT_HD i64 captured_stride(int which, int axis) const {
    return static_cast<i64>(strides[stride_count + 4 * which + axis]);
  }
  static constexpr int extents = 7, stride_count = 23;
};
WEFT_HD constexpr AttentionCall attention_call(const u64* n, int captured) {
  AttentionCall c;
  i64* const extents[]{&c.batch, &c.heads, &c.kv_heads, &c.queries, &c.keys, &c.width, &c.value_width};
  for (int k = 0; k < AttentionCall::extents; ++k) *extents[k] = static_cast<i64>(n[k]);
  c.strides = n + AttentionCall::extents;
  c.streams = c.strides + AttentionCall::stride_count + 4 * captured;
  return c;
}

// The launch's pointers, by place: q, k, v, the seed and step of random numbers; of a forward kernel y and
// lse, of a gradient dy, lse, delta, dq, dk, dv; the captured tensors; their gradients. What is not wanted is
// null.
struct AttentionPointers {
  static constexpr int q = 0, k = 1, v = 2, seed = 3;
  static constexpr int y = 4, lse = 5;
  static constexpr int dy = 4, row_lse = 5, delta = 6, dq = 7, dk = 8, dv = 9;
  WEFT_HD static constexpr int captured(bool is_gradient) { return is_gradient ? 10 : 6; }
  WEFT_HD static constexpr int captured_gradient(int count) { return 10 + count; }
};

}  // namespace WEFT_NAMESPACE::kernels
