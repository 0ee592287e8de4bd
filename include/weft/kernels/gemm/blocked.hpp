#pragma once
// The built-in engine: one tile of C after another on one thread, blocks of k and of columns sized for the
// caches, operands packed only where reading them in place would cost more. Every element of C is summed in
// the order of k within blocks of k, and the blocks in order: the cut into tiles and the path taken change no
// bit.

#include "weft/kernels/gemm/packing.hpp"
#include "weft/kernels/gemm/scratch.hpp"
#include "weft/kernels/gemm/shape.hpp"
#include "weft/kernels/gemm/tile.hpp"

namespace WEFT_NAMESPACE::kernels {

// A block of B of this size (half a megabyte in f32, half that where vectors are of 32 bytes) stays in the
// second-level cache.
inline constexpr i64 dot_block_k = 384;
template <class S>
inline constexpr i64 dot_block_cols = (dot_tile_vectors == 3 ? 7 : 10) * dot_tile_cols<S>;

// Rows of B that are packed for one strip before the next, few enough for their pages to stay known.
inline constexpr i64 dot_packed_rows = 16;

// Columns of A whose distance in elements is at most this are read in place, where A's rows are the
// contiguous ones: each takes a line of the first-level cache of its own.
inline constexpr i64 dot_near_columns = WEFT_DOT_BYTES == 64 ? 512 : 64;

// Rows and columns of the tiles that C is cut into.
struct DotCut {
  i64 rows = 0, cols = 0;
};

constexpr i64 dot_ceil_div(i64 a, i64 b) { return (a + b - 1) / b; }

// Halves C (m, n), the longer side first, into at most 32 tiles of 2 million multiply-adds (less would not
// pay for waking a thread), more where that leaves more than 32 million. Tiles keep 96 rows, over which the
// packing of B is spread, and 96 columns, over which the reading of A is. From 1.5 million, where the threads
// of a loop are awake, C is halved once if that keeps 16 rows or 96 columns.
constexpr DotCut dot_cut(i64 m, i64 n, i64 k, i64 tile_rows, i64 lane_count) {
  const f64 work = static_cast<f64>(m) * static_cast<f64>(n) * static_cast<f64>(k);
  const bool once = work >= 1.5e6 && work < 4e6;
  const f64 pieces = once ? 2 : work < 64e6 ? work / 2e6 : work < 1024e6 ? 32 : work / 32e6;
  const i64 least = once ? 32 : 192;
  f64 cuts = 1;
  i64 rows = m, cols = n;
  while (2 * cuts <= pieces) {
    if (cols >= 192 && (cols >= rows || rows < least))
      cols = dot_ceil_div(cols, 2);
    else if (rows >= least)
      rows = dot_ceil_div(rows, 2);
    else
      break;
    cuts *= 2;
  }
  return {rows < m ? dot_ceil_div(rows, tile_rows) * tile_rows : m,
          cols < n ? dot_ceil_div(cols, lane_count) * lane_count : n};
}

// Columns of the next strip where n are left: as wide as the micro-kernel, the last ones of about equal
// width; of_row: as wide as that of one row.
template <class S>
constexpr i64 dot_strip_cols(i64 n, bool of_row = false) {
  const i64 vectors = dot_ceil_div(n, dot_lanes<S>);
  // four vectors by strips of three: two and two
  i64 some = vectors == dot_tile_vectors + 1 ? (vectors + 1) / 2
             : vectors < dot_tile_vectors    ? vectors
                                             : dot_tile_vectors;
  if (of_row)
    for (some = dot_row_vectors; some > vectors;) some /= 2;
  const i64 cols = some * dot_lanes<S>;
  return n < cols ? n : cols;
}

// c = sums + add + bias for one row of n, rounded to TC.
template <class TC, class S>
void dot_finish_row(const S* sums, i64 n, const DotSum<TC>* bias, const TC* add, TC* c) {
  if (!bias && !add) {
    for (i64 j = 0; j < n; ++j) c[j] = static_cast<TC>(sums[j]);
    return;
  }
  using Sum = DotSum2<S, DotSum<TC>>;
  for (i64 j = 0; j < n; ++j) {
    Sum sum = static_cast<Sum>(sums[j]);
    if (add) sum += static_cast<Sum>(static_cast<DotSum<TC>>(add[j]));
    if (bias) sum += static_cast<Sum>(bias[j]);
    c[j] = static_cast<TC>(sum);
  }
}

// The whole of C on the calling thread.
template <class TA, class TB, class TC>
void dot_blocked(const DotShape& s, const TA* a, const TB* b, TC* c, const DotEpilogue<TC>& epilogue) {
  using S = DotSum2<TA, TB>;
  constexpr i64 lane_count = dot_lanes<S>;
  constexpr i64 strip = dot_tile_cols<S>;
  constexpr i64 panel = dot_tile_rows;
  constexpr bool same = std::is_same_v<TC, S> && std::is_floating_point_v<S>;
  const i64 k_blocks = s.k > dot_block_k ? dot_ceil_div(s.k, dot_block_k) : 1;
  // Sums may be kept in C itself, unless it still holds the term to add.
  const bool in_place = same && !(epilogue.add == c && k_blocks > 1);
  const i64 k_step = dot_ceil_div(s.k, k_blocks);
  const i64 n_step = s.n < dot_block_cols<S> ? s.n : dot_block_cols<S>;
  const i64 n_padded = dot_ceil_div(n_step, lane_count) * lane_count;

  // Read in place: B where its rows lie close together or little of it is reused; A where few strips read it,
  // or where its rows are contiguous, or its columns and these close together.
  const bool b_direct = std::is_same_v<TB, S> && s.b_col == 1 && (dot_masks<S> || s.n % lane_count == 0) &&
                        (s.m <= 4 * panel || k_step * s.b_row * static_cast<i64>(sizeof(S)) <= 65536);
  const bool a_direct = std::is_same_v<TA, S> && (n_step <= 2 * strip || s.a_col == 1 ||
                                                  (s.a_row == 1 && s.a_col <= dot_near_columns));

  const i64 b_size = b_direct ? 0 : k_step * n_padded;
  const i64 a_size = a_direct ? 0 : k_step * dot_panel_width;
  const i64 run_size = std::is_same_v<TA, S> && std::is_same_v<TB, S> ? 0 : k_step * strip;
  const i64 sum_size = in_place ? 0 : s.m * n_padded;
  S* scratch = nullptr;
  const i64 bytes = (b_size + a_size + run_size + sum_size) * static_cast<i64>(sizeof(S));
  if (bytes > 0) scratch = static_cast<S*>(dot_scratch().get(bytes));
  S* b_packed = scratch;
  S* sums = b_packed + b_size;
  S* a_packed = sums + sum_size;
  S* runs = a_packed + a_size;

  DotTile<S> tile;
  for (i64 j0 = 0; j0 < s.n; j0 += n_step) {
    const i64 n = s.n - j0 < n_step ? s.n - j0 : n_step;
    for (i64 l0 = 0, block = 0; block < k_blocks; l0 += k_step, ++block) {
      const i64 k = s.k - l0 < k_step ? s.k - l0 : k_step;
      tile.k = k;
      tile.accumulate = block > 0;
      const bool finish = block == k_blocks - 1;
      if (!b_direct)
        for (i64 l = 0, some = 0; l < k; l += some) {
          some = s.b_col == 1 && k - l > dot_packed_rows ? dot_packed_rows : k - l;
          for (i64 j = 0, width = 0; j < n; j += width) {
            width = dot_strip_cols<S>(n - j, s.m == 1 && b_direct);
            const i64 padded = dot_ceil_div(width, lane_count) * lane_count;
            dot_pack<TB, S>(b + (l0 + l) * s.b_row + (j0 + j) * s.b_col, s.b_col, s.b_row, width, some,
                            b_packed + j * k + l * padded, padded, runs);
          }
        }
      for (i64 i0 = 0; i0 < s.m; i0 += panel) {
        const i64 m = s.m - i0 < panel ? s.m - i0 : panel;
        const S* a_panel = a_packed;
        if constexpr (std::is_same_v<TA, S>) {
          a_panel = a + i0 * s.a_row + l0 * s.a_col;
          tile.a_row = s.a_row;
          tile.a_col = s.a_col;
        }
        if (!a_direct) {
          dot_pack<TA, S>(a + i0 * s.a_row + l0 * s.a_col, s.a_row, s.a_col, m, k, a_packed, dot_panel_width,
                          runs);
          a_panel = a_packed;
          tile.a_row = 1;
          tile.a_col = dot_panel_width;
        }
        for (i64 j = 0, width = 0; j < n; j += width) {
          width = dot_strip_cols<S>(n - j, s.m == 1 && b_direct);
          const i64 vectors = dot_ceil_div(width, lane_count);
          if (!b_direct) {  // else there may be no memory to point into
            tile.b = b_packed + j * k;
            tile.b_row = vectors * lane_count;
          } else if constexpr (std::is_same_v<TB, S>) {
            tile.b = b + l0 * s.b_row + j0 + j;
            tile.b_row = s.b_row;
          }
          tile.last = width - (vectors - 1) * lane_count;
          for (i64 i = 0; i < m;) {
            i64 rows = m - i;
            const DotTileFunction<S> run = dot_tile_for<S>(rows, vectors);
            tile.a = a_panel + i * tile.a_row;
            if (!in_place) {
              tile.c = sums + (i0 + i) * n_padded + j;
              tile.c_row = n_padded;
            } else if constexpr (same) {
              tile.c = c + (i0 + i) * s.c_row + j0 + j;
              tile.c_row = s.c_row;
              tile.bias = finish && epilogue.bias ? epilogue.bias + j0 + j : nullptr;
              tile.add =
                  finish && epilogue.add ? epilogue.add + (i0 + i) * epilogue.add_row + j0 + j : nullptr;
              tile.add_row = epilogue.add_row;
            }
            run(tile);
            i += rows;
          }
        }
        if (finish && !in_place)
          for (i64 i = i0; i < i0 + m; ++i)
            dot_finish_row<TC, S>(sums + i * n_padded, n, epilogue.bias ? epilogue.bias + j0 : nullptr,
                                  epilogue.add ? epilogue.add + i * epilogue.add_row + j0 : nullptr,
                                  c + i * s.c_row + j0);
      }
    }
  }
}

}  // namespace WEFT_NAMESPACE::kernels
