#pragma once
// The micro-kernels of the convolution: a tile of sums held in registers while the taps run, one operand read
// through a table of offsets. Every element is one chain of multiply-adds in the order of the taps.

#include "weft/kernels/gemm/tile.hpp"

namespace WEFT_NAMESPACE::kernels {

// Sum r, lane j of `c` gathers a[r][at[l]] * b[l * b_row + j] (ConvGathers::by_row), or a[r][l] * b[at[l] +
// j] (ConvGathers::by_lane), over l < k. Of b's last vector `last` lanes are there.
template <class T>
struct ConvTile {
  i64 k = 0;
  const T* a[dot_tile_rows]{};
  const i64* at = nullptr;
  const T* b = nullptr;
  i64 b_row = 0;
  T* c = nullptr;
  i64 c_row = 0;
  i64 last = 0;
  i64 c_last = dot_lanes<T>;  // lanes of c's last vector; by_lane alone asks
  bool accumulate = false;    // start from what c holds
};

enum class ConvGathers { by_row, by_lane };

// Stores the first `there` lanes of sums, or adds them to what is there.
template <class T>
WEFT_INLINE void conv_put(T* c, const typename DotVector<T>::type& sums, i64 there, bool accumulate) {
  if (there == dot_lanes<T>) {
    if (accumulate)
      dot_store<T>(c, sums + dot_load<T>(c));
    else
      dot_store<T>(c, sums);
  } else {
    if (accumulate)
      dot_store_first<T>(c, sums + dot_load_first<T>(c, there), there);
    else
      dot_store_first<T>(c, sums, there);
  }
}

template <class T, ConvGathers Gathers, int Rows, int Vectors>
void conv_tile(const ConvTile<T>& tile) {
  using V = typename DotVector<T>::type;
  constexpr i64 lane_count = dot_lanes<T>;
  constexpr bool rows = Gathers == ConvGathers::by_row;
  const i64 last = tile.last, b_row = tile.b_row, k = tile.k;
  const i64* const at = tile.at;
  const T* b = tile.b;
  const T* a[Rows];
  V sum[Rows][Vectors];
  V y[Vectors];
  dot_each<Rows>([&](auto r) WEFT_DOT_LAMBDA {
    a[r] = tile.a[r];
    dot_each<Vectors>([&](auto v) WEFT_DOT_LAMBDA { sum[r][v] = dot_splat<T>(T{}); });
  });
  for (i64 l = 0; l < k; ++l) {
    const i64 offset = at[l];
    const T* row = rows ? b : b + offset;
    const i64 element = rows ? offset : l;
    dot_each<Vectors>([&](auto v) WEFT_DOT_LAMBDA {
      if constexpr (!rows && dot_masks<T> && v == Vectors - 1)
        y[v] = dot_load_first<T>(row + v * lane_count, last);
      else
        y[v] = dot_load<T>(row + v * lane_count);
    });
    dot_each<Rows>([&](auto r) WEFT_DOT_LAMBDA {
      const V x = dot_splat<T>(a[r][element]);
      dot_each<Vectors>([&](auto v) WEFT_DOT_LAMBDA { dot_fma<T>(sum[r][v], x, y[v]); });
    });
    if constexpr (rows) b += b_row;
  }
  dot_each<Rows>([&](auto r) WEFT_DOT_LAMBDA {
    T* c = tile.c + r * tile.c_row;
    dot_each<Vectors>([&](auto v) WEFT_DOT_LAMBDA {
      const i64 there = rows || v < Vectors - 1 ? lane_count : tile.c_last;
      conv_put<T>(c + v * lane_count, sum[r][v], there, tile.accumulate);
    });
  });
}

// The same of one row of weights and several lines of places: sum i, lane j of `c` gathers a[0][l] * b[i *
// b_row + at[l] + j].
template <class T, int Lines, int Vectors>
void conv_line_tile(const ConvTile<T>& tile) {
  using V = typename DotVector<T>::type;
  constexpr i64 lane_count = dot_lanes<T>;
  const i64 last = tile.last, b_row = tile.b_row, k = tile.k;
  const i64* const at = tile.at;
  const T* const a = tile.a[0];
  const T* const b = tile.b;
  V sum[Lines][Vectors];
  dot_each<Lines>([&](auto i) WEFT_DOT_LAMBDA {
    dot_each<Vectors>([&](auto v) WEFT_DOT_LAMBDA { sum[i][v] = dot_splat<T>(T{}); });
  });
  for (i64 l = 0; l < k; ++l) {
    const V x = dot_splat<T>(a[l]);
    const T* row = b + at[l];
    dot_each<Lines>([&](auto i) WEFT_DOT_LAMBDA {
      dot_each<Vectors>([&](auto v) WEFT_DOT_LAMBDA {
        if constexpr (dot_masks<T> && v == Vectors - 1)
          dot_fma<T>(sum[i][v], x, dot_load_first<T>(row + v * lane_count, last));
        else
          dot_fma<T>(sum[i][v], x, dot_load<T>(row + v * lane_count));
      });
      row += b_row;
    });
  }
  T* c = tile.c;
  dot_each<Lines>([&](auto i) WEFT_DOT_LAMBDA {
    dot_each<Vectors>([&](auto v) WEFT_DOT_LAMBDA {
      conv_put<T>(c + v * lane_count, sum[i][v], v < Vectors - 1 ? lane_count : tile.c_last, tile.accumulate);
    });
    c += tile.c_row;
  });
}

template <class T>
using ConvTileFunction = void (*)(const ConvTile<T>&);

template <class T, ConvGathers Gathers, int Vectors>
ConvTileFunction<T> conv_tile_of(int row) {
  static constexpr ConvTileFunction<T> table[4] = {
      conv_tile<T, Gathers, 1, Vectors>, conv_tile<T, Gathers, 2, Vectors>, conv_tile<T, Gathers, 4, Vectors>,
      conv_tile<T, Gathers, int{dot_tile_rows}, Vectors>};
  return table[row];
}

// The micro-kernel for at most `rows` rows and exactly `vectors` vectors; sets rows to those it does.
template <class T, ConvGathers Gathers>
ConvTileFunction<T> conv_tile_for(i64& rows, i64 vectors) {
  const int row = rows >= dot_tile_rows ? 3 : rows >= 4 ? 2 : rows >= 2 ? 1 : 0;
  rows = row == 3 ? dot_tile_rows : i64{1} << row;
  if constexpr (dot_tile_vectors == 3)
    if (vectors == 3) return conv_tile_of<T, Gathers, 3>(row);
  return vectors == 2 ? conv_tile_of<T, Gathers, 2>(row) : conv_tile_of<T, Gathers, 1>(row);
}

template <class T, int Vectors>
ConvTileFunction<T> conv_line_tile_of(int row) {
  static constexpr ConvTileFunction<T> table[4] = {
      conv_line_tile<T, 1, Vectors>, conv_line_tile<T, 2, Vectors>, conv_line_tile<T, 4, Vectors>,
      conv_line_tile<T, int{dot_tile_rows}, Vectors>};
  return table[row];
}

// As conv_tile_for, for `lines` lines of places.
template <class T>
ConvTileFunction<T> conv_line_tile_for(i64& lines, i64 vectors) {
  const int row = lines >= dot_tile_rows ? 3 : lines >= 4 ? 2 : lines >= 2 ? 1 : 0;
  lines = row == 3 ? dot_tile_rows : i64{1} << row;
  if constexpr (dot_tile_vectors == 3)
    if (vectors == 3) return conv_line_tile_of<T, 3>(row);
  return vectors == 2 ? conv_line_tile_of<T, 2>(row) : conv_line_tile_of<T, 1>(row);
}

}  // namespace WEFT_NAMESPACE::kernels
