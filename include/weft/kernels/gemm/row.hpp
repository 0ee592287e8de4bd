#pragma once
// One row times the transpose of a matrix whose rows are contiguous, as a layer's weights are when it decodes
// a token: blocks of the matrix are transposed in registers, since each of its numbers is used once. Law: the
// bits of dot_blocked, every element one chain of multiply-adds in the order of k within blocks of k.

#include "weft/kernels/gemm/packing.hpp"
#include "weft/kernels/gemm/shape.hpp"

namespace WEFT_NAMESPACE::kernels {

// Groups of lanes at a time: fewer would wait for one another's additions.
inline constexpr int dot_row_groups = 4;

// Columns [j, j + Groups * lanes) of c, of the last of which `last` exist.
template <int Groups, bool Whole>
void dot_row_of(const DotShape& s, i64 k_step, const f32* a, const f32* b, f32* c,
                const DotEpilogue<f32>& epilogue, i64 j, i64 last) {
  using V = DotVector<f32>::type;
  constexpr i64 lane_count = dot_lanes<f32>;
  const auto there = [&](int g) { return Whole || g < Groups - 1 ? lane_count : last; };
  V total[Groups];
  for (i64 l0 = 0; l0 == 0 || l0<s.k; l0 += k_step> 0 ? k_step : 1) {
    const i64 end = s.k - l0 < k_step ? s.k : l0 + k_step;
    V sum[Groups];
    dot_each<Groups>([&](auto g) WEFT_DOT_LAMBDA { sum[g] = dot_splat<f32>(0); });
    i64 l = l0;
    const auto fours = [&](auto g, i64 at) WEFT_DOT_LAMBDA {
      V y[4];
      constexpr bool is_whole = Whole || decltype(g)::value < Groups - 1;
      dot_transposed<is_whole>(b + (j + g * lane_count) * s.b_col + at, s.b_col, there(g), y);
      dot_each<4>([&](auto i)
                      WEFT_DOT_LAMBDA { dot_fma<f32>(sum[g], dot_splat<f32>(a[(at + i) * s.a_col]), y[i]); });
    };
    // columns that lie in the same few sets of the first-level cache: a line of each before the next group
    const i64 by_lines = s.b_col % 512 == 0 ? end : l0;
    for (; l + 16 <= by_lines; l += 16)
      dot_each<Groups>(
          [&](auto g) WEFT_DOT_LAMBDA { dot_each<4>([&](auto i) WEFT_DOT_LAMBDA { fours(g, l + 4 * i); }); });
    for (; l + 4 <= end; l += 4) dot_each<Groups>([&](auto g) WEFT_DOT_LAMBDA { fours(g, l); });
    for (; l < end; ++l)
      dot_each<Groups>([&](auto g) WEFT_DOT_LAMBDA {
        f32 column[lane_count];
        for (i64 i = 0; i < lane_count; ++i) {
          const i64 lane = i < there(g) ? i : there(g) - 1;
          column[i] = b[(j + g * lane_count + lane) * s.b_col + l];
        }
        dot_fma<f32>(sum[g], dot_splat<f32>(a[l * s.a_col]), dot_load<f32>(column));
      });
    dot_each<Groups>([&](auto g) WEFT_DOT_LAMBDA {
      if (l0 > 0) sum[g] += total[g];
      total[g] = sum[g];
    });
  }
  dot_each<Groups>([&](auto g) WEFT_DOT_LAMBDA {
    const i64 at = j + g * lane_count, n = there(g);
    if (epilogue.add) total[g] += dot_load_first<f32>(epilogue.add + at, n);
    if (epilogue.bias) total[g] += dot_load_first<f32>(epilogue.bias + at, n);
    dot_store_first<f32>(c + at, total[g], n);
  });
}

// c (1, n) = a (1, k) b (k, n), where b's columns are contiguous.
inline void dot_row_transposed(const DotShape& s, i64 k_step, const f32* a, const f32* b, f32* c,
                               const DotEpilogue<f32>& epilogue) {
  constexpr i64 lane_count = dot_lanes<f32>, together = dot_row_groups * lane_count;
  i64 j = 0;
  for (; j + together <= s.n; j += together)
    dot_row_of<dot_row_groups, true>(s, k_step, a, b, c, epilogue, j, lane_count);
  for (; j + lane_count <= s.n; j += lane_count)
    dot_row_of<1, true>(s, k_step, a, b, c, epilogue, j, lane_count);
  if (j < s.n) dot_row_of<1, false>(s, k_step, a, b, c, epilogue, j, s.n - j);
}

}  // namespace WEFT_NAMESPACE::kernels
