#pragma once
// Copies a strip of an operand into the order in which the micro-kernel reads it, converted to the type of
// the sums: element (lane, l) goes to out[l * width + lane]. Lanes past the last one hold any finite number,
// since the sums they lead to are never stored.

#include "weft/kernels/gemm/tile.hpp"

namespace WEFT_NAMESPACE::kernels {

typedef f32 DotQuad __attribute__((vector_size(16)));

// Up to 4 lanes x 4 elements: the lanes lie `stride` apart, each contiguous in l. Missing lanes repeat the
// last one.
template <bool Whole>
WEFT_INLINE void dot_transpose4(const f32* in, i64 stride, i64 lane_count, DotQuad (&out)[4]) {
  DotQuad r[4];
  dot_each<4>([&](auto i) WEFT_DOT_LAMBDA {
    __builtin_memcpy(&r[i], in + (Whole || i < lane_count ? i : lane_count - 1) * stride, 16);
  });
  const DotQuad t0 = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
  const DotQuad t1 = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
  const DotQuad t2 = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
  const DotQuad t3 = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
  out[0] = __builtin_shufflevector(t0, t1, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(t0, t1, 2, 3, 6, 7);
  out[2] = __builtin_shufflevector(t2, t3, 0, 1, 4, 5);
  out[3] = __builtin_shufflevector(t2, t3, 2, 3, 6, 7);
}

#if defined(__AVX512F__)
// Four quarters of a vector. Loads that insert leave the shuffle unit to the transpose.
WEFT_INLINE DotVector<f32>::type dot_quarters(const f32* p0, const f32* p1, const f32* p2, const f32* p3) {
  DotQuad q[4];
  __builtin_memcpy(&q[0], p0, 16);
  __builtin_memcpy(&q[1], p1, 16);
  __builtin_memcpy(&q[2], p2, 16);
  __builtin_memcpy(&q[3], p3, 16);
#if defined(__clang__)
  typedef f32 Half __attribute__((vector_size(32)));
  const Half low = __builtin_shufflevector(q[0], q[1], 0, 1, 2, 3, 4, 5, 6, 7);
  const Half high = __builtin_shufflevector(q[2], q[3], 0, 1, 2, 3, 4, 5, 6, 7);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
  DotVector<f32>::type v = __builtin_ia32_ps512_ps(q[0]);
  v = __builtin_ia32_insertf32x4_mask(v, q[1], 1, v, static_cast<u16>(65535));
  v = __builtin_ia32_insertf32x4_mask(v, q[2], 2, v, static_cast<u16>(65535));
  return __builtin_ia32_insertf32x4_mask(v, q[3], 3, v, static_cast<u16>(65535));
#endif
}

// Up to 16 lanes x 4 elements. Each vector comes from four lanes, so the rest is a 4 x 4 transpose in each
// quarter.
template <bool Whole>
WEFT_INLINE void dot_transposed(const f32* in, i64 stride, i64 lane_count, DotVector<f32>::type (&out)[4]) {
  using V = DotVector<f32>::type;
  const auto lane = [=](i64 i) { return in + (Whole || i < lane_count ? i : lane_count - 1) * stride; };
  const V r0 = dot_quarters(lane(0), lane(4), lane(8), lane(12));
  const V r1 = dot_quarters(lane(1), lane(5), lane(9), lane(13));
  const V r2 = dot_quarters(lane(2), lane(6), lane(10), lane(14));
  const V r3 = dot_quarters(lane(3), lane(7), lane(11), lane(15));
#define WEFT_DOT_LOW(a, b) \
  __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define WEFT_DOT_HIGH(a, b) \
  __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define WEFT_DOT_LOW2(a, b) \
  __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define WEFT_DOT_HIGH2(a, b) \
  __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
  const V t0 = WEFT_DOT_LOW(r0, r1), t1 = WEFT_DOT_LOW(r2, r3);
  const V t2 = WEFT_DOT_HIGH(r0, r1), t3 = WEFT_DOT_HIGH(r2, r3);
  out[0] = WEFT_DOT_LOW2(t0, t1);
  out[1] = WEFT_DOT_HIGH2(t0, t1);
  out[2] = WEFT_DOT_LOW2(t2, t3);
  out[3] = WEFT_DOT_HIGH2(t2, t3);
#undef WEFT_DOT_LOW
#undef WEFT_DOT_HIGH
#undef WEFT_DOT_LOW2
#undef WEFT_DOT_HIGH2
}
#endif

#if defined(__AVX__) && !defined(__AVX512F__)
// Up to 8 lanes x 4 elements, the same in halves.
template <bool Whole>
WEFT_INLINE void dot_transposed(const f32* in, i64 stride, i64 lane_count, DotVector<f32>::type (&out)[4]) {
  using V = DotVector<f32>::type;
  const auto halves = [=](i64 i) {
    const auto lane = [=](i64 j) { return in + (Whole || j < lane_count ? j : lane_count - 1) * stride; };
    DotQuad q[2];
    __builtin_memcpy(&q[0], lane(i), 16);
    __builtin_memcpy(&q[1], lane(i + 4), 16);
    return __builtin_shufflevector(q[0], q[1], 0, 1, 2, 3, 4, 5, 6, 7);
  };
  const V r0 = halves(0), r1 = halves(1), r2 = halves(2), r3 = halves(3);
  const V t0 = __builtin_shufflevector(r0, r1, 0, 8, 1, 9, 4, 12, 5, 13);
  const V t1 = __builtin_shufflevector(r2, r3, 0, 8, 1, 9, 4, 12, 5, 13);
  const V t2 = __builtin_shufflevector(r0, r1, 2, 10, 3, 11, 6, 14, 7, 15);
  const V t3 = __builtin_shufflevector(r2, r3, 2, 10, 3, 11, 6, 14, 7, 15);
  out[0] = __builtin_shufflevector(t0, t1, 0, 1, 8, 9, 4, 5, 12, 13);
  out[1] = __builtin_shufflevector(t0, t1, 2, 3, 10, 11, 6, 7, 14, 15);
  out[2] = __builtin_shufflevector(t2, t3, 0, 1, 8, 9, 4, 5, 12, 13);
  out[3] = __builtin_shufflevector(t2, t3, 2, 3, 10, 11, 6, 7, 14, 15);
}
#elif !defined(__AVX512F__)
template <bool Whole>
WEFT_INLINE void dot_transposed(const f32* in, i64 stride, i64 lane_count, DotVector<f32>::type (&out)[4]) {
  dot_transpose4<Whole>(in, stride, lane_count, out);
}
#endif

// One group of Group lanes, `lane_count` of which exist, over the whole of k.
template <int Group>
void dot_pack_group(const f32* in, i64 stride, i64 lane_count, i64 k, f32* out, i64 width) {
  const auto block = [&](i64 l, auto whole) {
    constexpr bool is_whole = decltype(whole)::value;
    const auto put = [&](const auto(&rows)[4]) {
      for (i64 i = 0; i < 4; ++i) __builtin_memcpy(out + (l + i) * width, &rows[i], sizeof rows[i]);
    };
    if constexpr (Group == dot_lanes<f32>) {
      DotVector<f32>::type rows[4];
      dot_transposed<is_whole>(in + l, stride, lane_count, rows);
      put(rows);
    } else {
      DotQuad rows[4];
      dot_transpose4<is_whole>(in + l, stride, lane_count, rows);
      put(rows);
    }
  };
  const i64 fours = k & ~i64{3};
  if (lane_count >= Group)
    for (i64 l = 0; l < fours; l += 4) block(l, std::true_type{});
  else
    for (i64 l = 0; l < fours; l += 4) block(l, std::false_type{});
  for (i64 l = fours; l < k; ++l)
    for (i64 i = 0; i < Group; ++i)
      out[l * width + i] = in[(i < lane_count ? i : lane_count - 1) * stride + l];
}

// `lane_count` contiguous runs of k elements, `stride` apart, are turned into k rows of `width`, a multiple
// of 4.
template <class S>
void dot_pack_transposed(const S* in, i64 stride, i64 lane_count, i64 k, S* out, i64 width) {
  if constexpr (std::is_same_v<S, f32>) {
    i64 lane = 0;
    constexpr i64 group = dot_lanes<f32>;
    if constexpr (group > 4)
      for (; lane + group <= width && lane < lane_count; lane += group)
        dot_pack_group<int{group}>(in + lane * stride, stride, lane_count - lane, k, out + lane, width);
    for (; lane < lane_count; lane += 4)
      dot_pack_group<4>(in + lane * stride, stride, lane_count - lane, k, out + lane, width);
  } else {
    for (i64 l = 0; l < k; ++l)
      for (i64 i = 0; i < width; ++i)
        out[l * width + i] = in[(i < lane_count ? i : lane_count - 1) * stride + l];
  }
}

// Packs k rows of `lane_count` lanes; element (lane, l) is in[lane * lane_stride + l * k_stride]. `runs` is
// room for lane_count * k sums, used where T is not S.
template <class T, class S>
void dot_pack(const T* in, i64 lane_stride, i64 k_stride, i64 lane_count, i64 k, S* out, i64 width, S* runs) {
  if (lane_stride == 1) {
    for (i64 l = 0; l < k; ++l) {
      const T* from = in + l * k_stride;
      S* to = out + l * width;
      i64 i = 0;
      if constexpr (std::is_same_v<T, S>) {
        if (lane_count == dot_tile_rows && width == dot_panel_width) {  // a whole panel of A
          __builtin_memcpy(to, from, sizeof(S) * static_cast<std::size_t>(dot_tile_rows));
          continue;
        }
      }
      if constexpr (std::is_same_v<T, S>)
        for (; i + dot_lanes<S> <= lane_count; i += dot_lanes<S>) dot_store<S>(to + i, dot_load<S>(from + i));
      if constexpr (std::is_same_v<T, S> && dot_masks<S>) {
        if (i < lane_count)
          dot_store_first<S>(to + i, dot_load_first<S>(from + i, lane_count - i), width - i);
      } else {
        for (; i < width; ++i) to[i] = i < lane_count ? static_cast<S>(from[i]) : S{};
      }
    }
  } else if (k_stride == 1) {
    if constexpr (std::is_same_v<T, S>) {
      dot_pack_transposed<S>(in, lane_stride, lane_count, k, out, width);
    } else {
      for (i64 i = 0; i < lane_count; ++i)
        for (i64 l = 0; l < k; ++l) runs[i * k + l] = static_cast<S>(in[i * lane_stride + l]);
      dot_pack_transposed<S>(runs, k, lane_count, k, out, width);
    }
  } else {
    for (i64 l = 0; l < k; ++l)
      for (i64 i = 0; i < width; ++i)
        out[l * width + i] =
            static_cast<S>(in[(i < lane_count ? i : lane_count - 1) * lane_stride + l * k_stride]);
  }
}

}  // namespace WEFT_NAMESPACE::kernels
