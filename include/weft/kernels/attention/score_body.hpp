#pragma once
// The body of an attention on a row of scores: instructions on 16 keys at a time on the host and on one on a
// GPU, those that are the same for all keys of the row once. Law: what is computed of a place depends on the
// place and on the score alone.

#include <utility>

#include "weft/kernels/attention/score_code.hpp"
#include "weft/kernels/fused/parts.hpp"
#include "weft/kernels/simd/random_window.hpp"

namespace WEFT_NAMESPACE::kernels {

template <class C, class Family = LaneFamily>
struct ScoreBody {
  using View = AttentionView<C>;
  static constexpr AttentionHeader header = View::header;
  static constexpr int count = header.instructions;
  using Numbers = typename Family::template value<float>;

  WEFT_HD static constexpr DType dtype(int i) { return static_cast<DType>(View::instruction(i).dtype); }
  static constexpr int registers(Kind kind) {
    for (int i = 0; i < count; ++i)
      if (kind_of(dtype(i)) == kind) return count;
    return 1;
  }
  using Registers = detail::Bank<Family, registers(Kind::f32), registers(Kind::f64), registers(Kind::i32),
                                 registers(Kind::u32), registers(Kind::i64), registers(Kind::mask)>;

  const AttentionCall& call;
  void* const* captured;  // pointers
  const u32* seed;
  i64 place[4]{};                                           // the last: the first of the keys at hand
  i64 offset[header.captured > 0 ? header.captured : 1]{};  // of each captured tensor's element of the row
  int present = Family::width;                              // of the keys at hand
  u32 words[header.streams > 0 ? header.streams : 1]{};     // random, of the key at hand, where it is one
  // of the keys, where they are more; outside of this object, as those of a fused kernel
  using Window = std::conditional_t<(Family::width > 1 && header.streams > 0), RandomWindow, NoRandomWindow>;
  static constexpr int window_count = header.streams > 0 ? header.streams : 1;
  Window* windows;
  Numbers product, score_gradient;
  Registers reg;

  WEFT_HD_INLINE ScoreBody(const AttentionCall& of, void* const* tensors, const void* random,
                           Window* ahead = nullptr)
      : call(of), captured(tensors), seed(static_cast<const u32*>(random)), windows(ahead) {}

  // Instructions of a run; Full: every mask holds.
  template <int Begin, int End, bool Full = false>
  WEFT_HD_INLINE void run() {
    if constexpr (End > Begin) {
      constexpr int block = End - Begin < 64 ? End - Begin : 64;
      run_block<Begin, Full>(std::make_integer_sequence<int, block>{});
      run<Begin + block, End, Full>();
    }
  }
  template <int Begin, bool Full, int... I>
  WEFT_HD_INLINE void run_block(std::integer_sequence<int, I...>) {
    (execute<Begin + I, Full>(), ...);
  }

  WEFT_HD_INLINE void go_to_row(i64 b, i64 h, i64 i) {
    place[0] = b, place[1] = h, place[2] = i;
    for (int k = 0; k < header.captured; ++k) {
      offset[k] = 0;
      for (int a = 0; a < 3; ++a) offset[k] += place[a] * call.captured_stride(k, a);
    }
    run<0, header.row_end>();
  }
  // What numbers the row among those of all heads, and random stream k.
  WEFT_HD_INLINE i64 row_number() const {
    return (place[0] * call.heads + place[1]) * call.queries + place[2];
  }
  WEFT_HD_INLINE u32 stream(int k) const { return static_cast<u32>(call.streams[k]); }
  // The score of the keys from `key` on, `n` of them, of their products.
  template <bool Full = false>
  WEFT_HD_INLINE Numbers score(i64 key, int n, const Numbers& of) {
    place[3] = key, present = n, product = of;
    run<header.row_end, header.score_end, Full>();
    return reg.template at<DType::f32, header.score>();
  }
  // The factor of the same weights.
  WEFT_HD_INLINE Numbers factor() { return reg.template at<DType::f32, header.factor>(); }
  // The gradient of the same products, of that of the scores.
  template <bool Full = false>
  WEFT_HD_INLINE Numbers gradient(const Numbers& of) {
    score_gradient = of;
    run<header.score_end, count, Full>();
    return reg.template at<DType::f32, header.product_gradient>();
  }
  // And of captured tensor K there.
  template <int K>
  WEFT_HD_INLINE Numbers captured_gradient() {
    return reg.template at<DType::f32, View::captured(K).gradient>();
  }

 private:
  template <int I>
  WEFT_HD_INLINE auto& at() {
    return reg.template at<dtype(I), I>();
  }

  template <int I, bool Full>
  WEFT_HD_INLINE void execute() {
    constexpr Instruction in = View::instruction(I);
    constexpr DType t = dtype(I);
    using V = value_of<Family, t>;
    if constexpr (in.op == Opcode::constant) {
      if constexpr (t == DType::boolean)
        at<I>() = splat<V>(in.imm != 0 ? -1 : 0);
      else if constexpr (is_float(t))
        at<I>() = splat<V>(static_cast<register_scalar<t>>(__builtin_bit_cast(double, in.imm)));
      else
        at<I>() = splat<V>(static_cast<register_scalar<t>>(in.imm));
    } else if constexpr (in.op == Opcode::load) {
      load_operand<I, in.aux>();
    } else if constexpr (in.op == Opcode::index) {
      using T = lane_of<V>;
      if constexpr (in.aux == 3 && Family::width > 1)
        at<I>() = splat<V>(static_cast<T>(place[3])) + iota<V>(0);
      else
        at<I>() = splat<V>(static_cast<T>(place[in.aux]));
    } else if constexpr (in.op == Opcode::random) {
      if constexpr (Family::width > 1) {
        const auto first = static_cast<u32>(row_number() * call.keys + place[3]);
        at<I>() = windows[in.aux].words(first, seed, stream(in.aux));
      } else {
        at<I>() = words[in.aux];
      }
    } else if constexpr (Full && View::chooses_by_mask(I)) {
      at<I>() = at<in.b>();
    } else if constexpr (in.op == Opcode::select) {
      const auto& x = at<in.b>();
      const auto& y = at<in.c>();
      if constexpr (t == DType::boolean)
        at<I>() = select(at<in.a>(), x, y);
      else
        at<I>() = select(widen_mask<V>(at<in.a>()), x, y);
    } else if constexpr (in.op == Opcode::fma) {
      at<I>() = multiply_add<t>(at<in.a>(), at<in.b>(), at<in.c>());
    } else if constexpr (in.op < Opcode::add) {
      at<I>() = unary<in.op, t, dtype(in.a), Family>(at<in.a>());
    } else {
      at<I>() = binary<in.op, t, dtype(in.a), Family>(at<in.a>(), at<in.b>());
    }
  }

  template <int I, int K>
  WEFT_HD_INLINE void load_operand() {
    if constexpr (K == load_product) {
      at<I>() = product;
    } else if constexpr (K == load_score_gradient) {
      at<I>() = score_gradient;
    } else {
      constexpr CapturedWord word = View::captured(K);
      constexpr DType t = word.dtype;
      using V =
          typename Family::template value<std::conditional_t<t == DType::boolean, i32, register_scalar<t>>>;
      const auto* p = static_cast<const ctype<t>*>(captured[K]) + offset[K];
      V v;
      if constexpr ((word.axes & 8) == 0) {
        v = splat<V>(load<lane_of<V>>(p));
      } else {
        const i64 stride = call.captured_stride(K, 3);
        p += place[3] * stride;
        if constexpr (Family::width == 1)
          v = load<V>(p);
        else if (stride != 1)
          v = load_strided_partial<V>(p, stride, present, 0);
        else if (present < lanes)
          v = load_partial<V>(p, present, 0);
        else
          v = load<V>(p);
      }
      at<I>() = detail::to_register<t, V, Family>(v);
    }
  }
};

}  // namespace WEFT_NAMESPACE::kernels
