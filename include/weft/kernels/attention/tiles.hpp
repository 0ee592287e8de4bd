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
  AttentionRows from(i64 row) const { return {at + row * stride, stride}; }
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

// What the captured integers and truth values lie between in a tile of one batch and head. A tensor that
// varies by query and by key is looked through only where that is fast. Marked for devices, which never run
// it, as TileBounds is.
template <class C>
struct HostLoads {
  const AttentionCall& call;
  void* const* captured;

  template <int K, DType T>
  WEFT_HD_INLINE detail::Interval of(const GridTile& tile) const {
    if constexpr (K < AttentionView<C>::header.captured)
      return between<T>(K, AttentionView<C>::captured(K), tile);
    else
      return detail::anything();
  }

 private:
  template <DType T>
  WEFT_HD_INLINE detail::Interval between(int k, const CapturedWord& word, const GridTile& tile) const {
    const bool by_query = (word.axes & 4) != 0, by_key = (word.axes & 8) != 0;
    const i64 rows = by_query ? tile.end[2] - tile.begin[2] : 1,
              keys = by_key ? tile.end[3] - tile.begin[3] : 1;
    const i64 row = call.captured_stride(k, 2), key = call.captured_stride(k, 3);
    if (word.dtype == DType::boolean && (keys == 1 || key == 1))
      return range_of_flags(first<unsigned char>(k, tile), rows, row, keys);
    if (by_query && by_key) return detail::anything_of(T);
    const i64 count = by_key ? keys : rows, stride = by_key ? key : row;
    switch (word.dtype) {
      case DType::boolean:
      case DType::u8:
        return detail::range_of(first<unsigned char>(k, tile), count, stride);
      case DType::i32:
        return stride == 1 ? range_of_neighbours(first<i32>(k, tile), count)
                           : detail::range_of(first<i32>(k, tile), count, stride);
      case DType::u32:
        return detail::range_of(first<u32>(k, tile), count, stride);
      case DType::i64:
        return detail::range_of(first<i64>(k, tile), count, stride);
      default:
        return detail::anything_of(T);
    }
  }
  template <class E>
  WEFT_HD_INLINE const E* first(int k, const GridTile& t) const {
    const E* p = static_cast<const E*>(captured[k]);
    for (int a = 0; a < 4; ++a) p += t.begin[a] * call.captured_stride(k, a);
    return p;
  }
  WEFT_HD_INLINE static detail::Interval range_of_neighbours(const i32* p, i64 count) {
    using V = Simd<i32>;
    if (count < lanes) return detail::range_of(p, count, 1);
    V low = load<V>(p), high = low;
    for (i64 k = lanes; k < count; k += lanes) {
      const V x = load<V>(p + (k + lanes <= count ? k : count - lanes));
      low = select(x < low, x, low);
      high = select(x > high, x, high);
    }
    i32 lows[lanes], highs[lanes];
    store(lows, low);
    store(highs, high);
    return {detail::range_of(lows, lanes, 1).low, detail::range_of(highs, lanes, 1).high};
  }
  // Rows of truth values that lie side by side, up to the first that differs.
  WEFT_HD_INLINE static detail::Interval range_of_flags(const unsigned char* p, i64 rows, i64 row, i64 keys) {
    const u64 all = p[0] * u64{0x0101010101010101};
    if (p[0] > 1) return detail::either();
    for (i64 r = 0; r < rows; ++r) {
      i64 k = 0;
      for (; k + 8 <= keys; k += 8) {
        u64 word;
        __builtin_memcpy(&word, p + r * row + k, sizeof word);
        if (word != all) return detail::either();
      }
      for (; k < keys; ++k)
        if (p[r * row + k] != p[0]) return detail::either();
    }
    return {static_cast<double>(p[0]), static_cast<double>(p[0])};
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
  Body body(typename Body::Window* windows) const {
    return Body(call, launch_.args.pointer + At::captured(header.is_gradient), launch_.args.pointer[At::seed],
                windows);
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

  // Queries [first, end) of a tile, which attend to none of its keys outside of [from, to).
  struct Band {
    i64 first = 0, end = 0, from = 0, to = 0;
    i64 rows() const { return end - first; }
    i64 keys() const { return to - from; }
  };
  struct Bands {
    Band band[attention_queries / attention_strip];
    int count = 0;
    bool empty() const { return count == 0; }
    const Band* begin() const { return band; }
    const Band* end() const { return band + count; }
  };
  // What is computed of `rows` queries from i0 on and n keys from j0 on: strips of the queries, those side by
  // side that attend to the same keys as one band.
  Bands attending(i64 b, i64 h, i64 i0, i64 rows, i64 j0, i64 n) const {
    Bands bands;
    const HostLoads<C> loads{call, launch_.args.pointer + At::captured(header.is_gradient)};
    const auto mask = [&](i64 first, i64 end, i64 from, i64 to) {
      return TileBounds<C>::mask({{b, h, i0 + first, j0 + from}, {b + 1, h + 1, i0 + end, j0 + to}}, loads);
    };
    const TileMask whole = mask(0, rows, 0, n);
    if (whole == TileMask::full) bands.band[bands.count++] = {0, rows, 0, n};
    if (whole != TileMask::partial) return bands;
    for (i64 r = 0; r < rows; r += attention_strip) {
      const i64 end = r + attention_strip < rows ? r + attention_strip : rows;
      const TileMask strip = mask(r, end, 0, n);
      if (strip == TileMask::none) continue;
      const KeyRange keys =
          strip == TileMask::full
              ? KeyRange{0, n}
              : attended_keys(n, [&](i64 from, i64 to) { return mask(r, end, from, to) != TileMask::none; });
      if (Band* const last = bands.empty() ? nullptr : bands.band + bands.count - 1;
          last != nullptr && last->end == r && last->from == keys.from && last->to == keys.to)
        last->end = end;
      else
        bands.band[bands.count++] = {r, end, keys.from, keys.to};
    }
    return bands;
  }

  // Lanes from `n` on are `fill`. Without a branch, which would take x through memory.
  static Numbers first_lanes(const Numbers& x, int n, f32 fill) {
    return select(iota<Simd<i32>>(0) < splat<Simd<i32>>(n), x, splat<Numbers>(fill));
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
