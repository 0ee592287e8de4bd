#pragma once
// What the host's attention kernels share: operands as rows of f32, the products of a tile by the built-in
// engine of gemm, and which rows of a tile attend to its keys.

#include "weft/kernels/attention/score_body.hpp"
#include "weft/kernels/attention/score_bounds.hpp"
#include "weft/kernels/launch/host.hpp"

namespace WEFT_NAMESPACE::kernels {

// Rows of an operand in f32.
struct AttentionRows {
  const f32* at = nullptr;
  i64 stride = 0;
};

// A thread's working memory, as dot_scratch.
inline DotScratch& attention_scratch() {
  static thread_local DotScratch scratch;
  return scratch;
}
// Cuts a block into arrays.
struct ScratchCut {
  f32* next = nullptr;
  f32* take(i64 count) {
    f32* const r = next;
    next += (count + 15) / 16 * 16;
    return r;
  }
};

template <class C>
class HostAttention {
 public:
  using View = AttentionView<C>;
  using Body = ScoreBody<C>;
  using At = AttentionPointers;
  using T = ctype<View::header.factors>;
  using Numbers = Simd<float>;
  using Operand = AttentionCall::Operand;
  static constexpr AttentionHeader header = View::header;

  explicit HostAttention(const HostLaunch& launch)
      : launch_(launch), call(attention_call(launch.numbers, header.captured)) {}

 protected:
  template <class V>
  V* pointer(int which) const {
    return static_cast<V*>(launch_.args.pointer[which]);
  }
  Body body() const {
    return Body(call, launch_.args.pointer + At::captured(header.is_gradient),
                launch_.args.pointer[At::seed]);
  }

  // `count` rows of `width` from (b, h, first) on: where they lie, or converted into `buffer`.
  AttentionRows rows(Operand operand, int which, i64 b, i64 h, i64 first, i64 count, i64 width,
                     f32* buffer) const {
    const i64 row = call.stride(operand, 2), column = call.stride(operand, 3);
    const T* p =
        pointer<const T>(which) + b * call.stride(operand, 0) + h * call.stride(operand, 1) + first * row;
    if constexpr (std::is_same_v<T, f32>)
      if (column == 1 || width == 1) return {p, row};
    for (i64 r = 0; r < count; ++r, p += row) {
      f32* const to = buffer + r * width;
      i64 c = 0;
      if (column == 1)
        for (; c + lanes <= width; c += lanes) store(to + c, load<Numbers>(p + c));
      for (; c < width; ++c) to[c] = static_cast<f32>(p[c * column]);
    }
    return {buffer, width};
  }
  AttentionRows query_rows(i64 b, i64 h, i64 first, i64 count, f32* buffer) const {
    return rows(AttentionCall::q, At::q, b, h, first, count, call.width, buffer);
  }
  AttentionRows key_rows(i64 b, i64 h, i64 first, i64 count, f32* buffer) const {
    return rows(AttentionCall::k, At::k, b, h, first, count, call.width, buffer);
  }
  AttentionRows value_rows(i64 b, i64 h, i64 first, i64 count, f32* buffer) const {
    return rows(AttentionCall::v, At::v, b, h, first, count, call.value_width, buffer);
  }

  // c (m, n) = a (m, k) b^T, of rows; or a b, where b has k rows; or a^T b. `add`: to what c holds.
  static void times_transposed(i64 m, i64 n, i64 k, AttentionRows a, AttentionRows b, f32* c, i64 c_row) {
    dot_blocked<f32, f32, f32>({m, n, k, a.stride, 1, 1, b.stride, c_row}, a.at, b.at, c, {});
  }
  static void add_product(i64 m, i64 n, i64 k, AttentionRows a, AttentionRows b, f32* c, i64 c_row) {
    dot_blocked<f32, f32, f32>({m, n, k, a.stride, 1, b.stride, 1, c_row}, a.at, b.at, c,
                               {nullptr, c, c_row});
  }
  static void add_transposed_product(i64 m, i64 n, i64 k, AttentionRows a, AttentionRows b, f32* c,
                                     i64 c_row) {
    dot_blocked<f32, f32, f32>({m, n, k, 1, a.stride, b.stride, 1, c_row}, a.at, b.at, c,
                               {nullptr, c, c_row});
  }

  // Queries [first, end) of the `rows` from i0 on, in strips, outside of which none attends to a key of
  // [j0, j0 + n).
  struct Strips {
    i64 first = 0, end = 0;
  };
  Strips attending(i64 b, i64 h, i64 i0, i64 rows, i64 j0, i64 n) const {
    Strips s{rows, 0};
    for (i64 r = 0; r < rows; r += attention_strip) {
      const i64 end = r + attention_strip < rows ? r + attention_strip : rows;
      if (!tile_attends(C::w, {{b, h, i0 + r, j0}, {b + 1, h + 1, i0 + end, j0 + n}})) continue;
      if (s.first > r) s.first = r;
      s.end = end;
    }
    return s;
  }

  // Lanes from `n` on are `fill`.
  static Numbers first_lanes(const Numbers& x, int n, f32 fill) {
    return n == lanes ? x : select(iota<Simd<i32>>(0) < splat<Simd<i32>>(n), x, splat<Numbers>(fill));
  }
  static int lanes_from(i64 c, i64 n) { return n - c < lanes ? static_cast<int>(n - c) : lanes; }

  static i64 query_block(i64 queries) { return queries < attention_queries ? queries : attention_queries; }
  static i64 key_block(i64 keys) { return keys < attention_keys ? keys : attention_keys; }
  static i64 padded(i64 n) { return (n + lanes - 1) / lanes * lanes; }

  const HostLaunch& launch_;

 public:
  AttentionCall call;
};

}  // namespace WEFT_NAMESPACE::kernels
