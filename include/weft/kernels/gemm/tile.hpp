#pragma once
// The micro-kernel: one tile of C, up to dot_tile_rows x dot_tile_cols, held in registers while k runs. Every
// element is one chain of multiply-adds in the order of k, so it comes out the same in a tile of any size.

#include "weft/kernels/gemm/vector.hpp"

namespace WEFT_NAMESPACE::kernels {

// Sums, one row of B and one element of A fill the registers: 8 x 3 + 3 + 1 of 32, and 6 x 2 + 2 + 1 of 16,
// where a product that is not fused needs the last. Of 16, 4 x 3 reads half as much again of B for a product.
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr i64 dot_tile_rows = 8, dot_tile_vectors = 3;
#else
inline constexpr i64 dot_tile_rows = 6, dot_tile_vectors = 2;
#endif
// Numbers between the rows of a packed panel of A, which are written in fours.
inline constexpr i64 dot_panel_width = (dot_tile_rows + 3) / 4 * 4;
template <class T>
inline constexpr i64 dot_tile_cols = dot_tile_vectors* dot_lanes<T>;

// One call's operands. A's element (i, l) is a[i * a_row + l * a_col], B's (l, j) is b[l * b_row + j].
// `last` lanes of the last vector of columns exist in C; B has them all (zeros) unless dot_masks<T>.
template <class T>
struct DotTile {
  i64 k = 0;
  const T* a = nullptr;
  i64 a_row = 0, a_col = 0;
  const T* b = nullptr;
  i64 b_row = 0;
  T* c = nullptr;
  i64 c_row = 0;
  i64 last = 0;
  bool accumulate = false;  // start from what C holds
  const T* bias = nullptr;  // n, or null
  const T* add = nullptr;   // (m, n), or null
  i64 add_row = 0;
};

template <class T, int Rows, int Vectors>
void dot_tile(const DotTile<T>& tile) {
  using V = typename DotVector<T>::type;
  constexpr i64 lane_count = dot_lanes<T>;
  const i64 last = tile.last;
  const i64 a_row = tile.a_row;
  const i64 a_col = tile.a_col;
  const i64 b_row = tile.b_row;
  const T* a = tile.a;
  const T* b = tile.b;
  V sum[Rows][Vectors];
  V y[Vectors];
  // One by one: nvcc turns the zeroing of a whole array into a memset, which keeps it in memory.
  dot_each<Rows>([&](auto r) WEFT_DOT_LAMBDA {
    dot_each<Vectors>([&](auto v) WEFT_DOT_LAMBDA { sum[r][v] = dot_splat<T>(T{}); });
  });
  for (i64 l = tile.k; l > 0; --l) {
    dot_each<Vectors>([&](auto v) WEFT_DOT_LAMBDA {
      if constexpr (dot_masks<T> && v == Vectors - 1)
        y[v] = dot_load_first<T>(b + v * lane_count, last);
      else
        y[v] = dot_load<T>(b + v * lane_count);
    });
    dot_each<Rows>([&](auto r) WEFT_DOT_LAMBDA {
      const V x = dot_splat<T>(a[r * a_row]);
      dot_each<Vectors>([&](auto v) WEFT_DOT_LAMBDA { dot_fma<T>(sum[r][v], x, y[v]); });
    });
    a += a_col;
    b += b_row;
  }

  // Adds row r of what `from` points at.
  const auto add_row = [&](auto r, const T* from) WEFT_DOT_LAMBDA {
    dot_each<Vectors>([&](auto v) WEFT_DOT_LAMBDA {
      if constexpr (v == Vectors - 1)
        sum[r][v] += dot_load_first<T>(from + v * lane_count, last);
      else
        sum[r][v] += dot_load<T>(from + v * lane_count);
    });
  };
  if (tile.accumulate) dot_each<Rows>([&](auto r) WEFT_DOT_LAMBDA { add_row(r, tile.c + r * tile.c_row); });
  if (tile.add) dot_each<Rows>([&](auto r) WEFT_DOT_LAMBDA { add_row(r, tile.add + r * tile.add_row); });
  if (tile.bias) dot_each<Rows>([&](auto r) WEFT_DOT_LAMBDA { add_row(r, tile.bias); });
  dot_each<Rows>([&](auto r) WEFT_DOT_LAMBDA {
    T* c = tile.c + r * tile.c_row;
    dot_each<Vectors>([&](auto v) WEFT_DOT_LAMBDA {
      if constexpr (v == Vectors - 1)
        dot_store_first<T>(c + v * lane_count, sum[r][v], last);
      else
        dot_store<T>(c + v * lane_count, sum[r][v]);
    });
  });
}

template <class T>
using DotTileFunction = void (*)(const DotTile<T>&);

template <class T, int Vectors>
DotTileFunction<T> dot_tile_of(int row) {
  static constexpr DotTileFunction<T> table[4] = {dot_tile<T, 1, Vectors>, dot_tile<T, 2, Vectors>,
                                                  dot_tile<T, 4, Vectors>,
                                                  dot_tile<T, int{dot_tile_rows}, Vectors>};
  return table[row];
}

// Of one row, whose sums are too few to hide how long an addition takes, a tile has up to so many vectors.
inline constexpr i64 dot_row_vectors = 8;

// The micro-kernel for at most `rows` rows and exactly `vectors` vectors of columns, 1 to dot_tile_vectors,
// or 1, 2, 4 or 8 of one row; sets rows to those it does.
template <class T>
DotTileFunction<T> dot_tile_for(i64& rows, i64 vectors) {
  const int row = rows >= dot_tile_rows ? 3 : rows >= 4 ? 2 : rows >= 2 ? 1 : 0;
  rows = row == 3 ? dot_tile_rows : i64{1} << row;
  if (vectors > dot_tile_vectors)
    return vectors == dot_row_vectors ? dot_tile<T, 1, int{dot_row_vectors}> : dot_tile<T, 1, 4>;
  if constexpr (dot_tile_vectors == 3)
    if (vectors == 3) return dot_tile_of<T, 3>(row);
  return vectors == 2 ? dot_tile_of<T, 2>(row) : dot_tile_of<T, 1>(row);
}

}  // namespace WEFT_NAMESPACE::kernels
