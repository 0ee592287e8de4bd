#pragma once
// A block of a convolution with few outputs at few places and with long lines of taps, as the gradient of
// depthwise weights is: a vector's lanes are neighbouring taps, and every sum is a vector until the end.

#include "weft/kernels/conv/plan.hpp"

namespace WEFT_NAMESPACE::kernels {

// Sums of Rows x Cols places, one vector each: places lie at x[row] + col[column], taps of a line next to
// each other in x and w, the lines of taps in three axes (channels and the taps' first two).
template <class T>
struct ConvTapTile {
  static constexpr int most = 3;  // rows and columns of a tile
  const T* x[most]{};
  i64 col[most]{};
  const T* w = nullptr;
  i64 count[3]{}, x_step[3]{}, w_step[3]{};
  i64 width = 0;  // taps of a line
  T* sums = nullptr;
  i64 sum_row = 0;
};

// The first `there` lanes of a vector that may be read to its end; zeros else.
template <class T>
WEFT_INLINE typename DotVector<T>::type conv_first(const T* p, i64 there) {
  if constexpr (dot_masks<T>) {
    return dot_load_first<T>(p, there);
  } else {
    using Bits = typename DotVector<std::conditional_t<sizeof(T) == 8, i64, i32>>::type;
    using Lane = std::remove_reference_t<decltype(std::declval<Bits&>()[0])>;
    Lane mask[dot_lanes<T>];
    for (i64 i = 0; i < dot_lanes<T>; ++i) mask[i] = i < there ? ~Lane{0} : Lane{0};
    Bits bits, kept;
    typename DotVector<T>::type r;
    __builtin_memcpy(&bits, p, sizeof bits);
    __builtin_memcpy(&kept, mask, sizeof kept);
    bits &= kept;
    __builtin_memcpy(&r, &bits, sizeof r);
    return r;
  }
}

template <class T, int Rows, int Cols>
void conv_tap_tile(const ConvTapTile<T>& tile) {
  using V = typename DotVector<T>::type;
  constexpr i64 lane_count = dot_lanes<T>;
  V sum[Rows][Cols];
  dot_each<Rows>([&](auto r) WEFT_DOT_LAMBDA {
    dot_each<Cols>([&](auto c) WEFT_DOT_LAMBDA {
      sum[r][c] = dot_load<T>(tile.sums + r * tile.sum_row + c * lane_count);
    });
  });
  const i64 whole = tile.width / lane_count * lane_count, rest = tile.width - whole;
  for (i64 a = 0; a < tile.count[0]; ++a)
    for (i64 b = 0; b < tile.count[1]; ++b) {
      const i64 x_at = a * tile.x_step[0] + b * tile.x_step[1];
      const T* w = tile.w + a * tile.w_step[0] + b * tile.w_step[1];
      const T* x[Rows];
      dot_each<Rows>([&](auto r) WEFT_DOT_LAMBDA { x[r] = tile.x[r] + x_at; });
      for (i64 line = 0; line < tile.count[2]; ++line) {
        for (i64 v = 0; v < whole; v += lane_count) {
          const V y = dot_load<T>(w + v);
          dot_each<Rows>([&](auto r) WEFT_DOT_LAMBDA {
            dot_each<Cols>([&](auto c) WEFT_DOT_LAMBDA {
              dot_fma<T>(sum[r][c], y, dot_load<T>(x[r] + tile.col[c] + v));
            });
          });
        }
        if (rest > 0) {
          const V y = conv_first<T>(w + whole, rest);
          dot_each<Rows>([&](auto r) WEFT_DOT_LAMBDA {
            dot_each<Cols>([&](auto c) WEFT_DOT_LAMBDA {
              dot_fma<T>(sum[r][c], y, conv_first<T>(x[r] + tile.col[c] + whole, rest));
            });
          });
        }
        dot_each<Rows>([&](auto r) WEFT_DOT_LAMBDA { x[r] += tile.x_step[2]; });
        w += tile.w_step[2];
      }
    }
  dot_each<Rows>([&](auto r) WEFT_DOT_LAMBDA {
    dot_each<Cols>([&](auto c) WEFT_DOT_LAMBDA {
      dot_store<T>(tile.sums + r * tile.sum_row + c * lane_count, sum[r][c]);
    });
  });
}

template <class T>
using ConvTapTileFunction = void (*)(const ConvTapTile<T>&);

// The function for at most `rows` rows and `cols` columns; sets both to what it does.
template <class T>
ConvTapTileFunction<T> conv_tap_tile_for(i64& rows, i64& cols) {
  static constexpr ConvTapTileFunction<T> table[2][3] = {
      {conv_tap_tile<T, 1, 1>, conv_tap_tile<T, 1, 2>, conv_tap_tile<T, 1, 3>},
      {conv_tap_tile<T, 3, 1>, conv_tap_tile<T, 3, 2>, conv_tap_tile<T, 3, 3>}};
  rows = rows >= 3 ? 3 : 1;
  cols = cols >= 3 ? cols == 4 ? 2 : 3 : cols;
  return table[rows / 3][cols - 1];
}

// Adds the sums of channels [channel, channel + channels) of a block, one vector each: (outputs, places).
template <class TX, class TW, class S>
void conv_tap_lanes(const ConvShape& s, const ConvPlan& plan, const ConvBlock& block, i64 channel,
                    i64 channels, const TX* x, const TW* w, S* sums, S* packed, S* copy) {
  constexpr i64 lane_count = dot_lanes<S>;
  const i64 window = s.axis[2].window, padded = dot_ceil_div(window, lane_count) * lane_count;
  for (i64 i = 0; i < s.outputs * plan.width; ++i) sums[i] = S{};
  ConvTapTile<S> tile;
  tile.width = window;
  tile.sum_row = block.count[3] * lane_count;
  for (int k = 0; k < 2; ++k) tile.count[k + 1] = s.axis[k].window;
  for (i64 c = 0; c < channels; c += plan.block_channels) {
    const i64 some = channels - c < plan.block_channels ? channels - c : plan.block_channels;
    const ConvSource<S> source = conv_source<ConvNear::taps>(s, block, channel + c, some, x, copy);
    tile.count[0] = some;
    tile.x_step[0] = source.channel_step;
    for (int k = 0; k < 2; ++k) tile.x_step[k + 1] = source.tap_step[k];
    for (i64 o = 0; o < s.outputs; ++o) {
      const TW* from = w + (channel + c) * s.w_c + o * s.w_o;
      bool in_place = false;
      if constexpr (std::is_same_v<TW, S>)
        if (dot_masks<S> && s.axis[2].w == 1) {
          in_place = true;
          tile.w = from;
          tile.w_step[0] = s.w_c, tile.w_step[1] = s.axis[0].w, tile.w_step[2] = s.axis[1].w;
        }
      if (!in_place) {
        S* to = packed;
        for (i64 a = 0; a < some; ++a)
          for (i64 b = 0; b < s.axis[0].window; ++b)
            for (i64 line = 0; line < s.axis[1].window; ++line, to += padded) {
              const TW* in = from + a * s.w_c + b * s.axis[0].w + line * s.axis[1].w;
              for (i64 i = 0; i < window; ++i) to[i] = static_cast<S>(in[i * s.axis[2].w]);
              for (i64 i = window; i < padded; ++i) to[i] = S{};
            }
        tile.w = packed;
        tile.w_step[2] = padded;
        tile.w_step[1] = padded * s.axis[1].window;
        tile.w_step[0] = tile.w_step[1] * s.axis[0].window;
      }
      S* line_sums = sums + o * plan.width;
      for (i64 n = 0; n < block.count[0]; ++n)
        for (i64 d = 0; d < block.count[1]; ++d)
          for (i64 h = 0, rows = 1; h < block.count[2]; h += rows) {
            for (i64 j = 0, cols = 1; j < block.count[3]; j += cols) {
              rows = block.count[2] - h, cols = block.count[3] - j;
              const ConvTapTileFunction<S> run = conv_tap_tile_for<S>(rows, cols);
              for (i64 r = 0; r < rows; ++r)
                tile.x[r] = source.base + n * source.image_step + source.place(0, d) + source.place(1, h + r);
              for (i64 i = 0; i < cols; ++i) tile.col[i] = source.place(2, j + i);
              tile.sums = line_sums + j * lane_count;
              run(tile);
            }
            line_sums += rows * tile.sum_row;
          }
    }
  }
}

// Puts the lanes together, by halves, and stores.
template <class TY, class S>
void conv_store_taps(const ConvShape& s, const ConvPlan& plan, const ConvBlock& block, const S* sums, TY* y) {
  constexpr i64 lane_count = dot_lanes<S>;
  const i64 step[4]{s.y_n, s.axis[0].y, s.axis[1].y, s.axis[2].y};
  for (int k = 0; k < 4; ++k) y += block.begin[k] * step[k];
  for (i64 o = 0; o < s.outputs; ++o) {
    const S* from = sums + o * plan.width;
    for (i64 n = 0; n < block.count[0]; ++n)
      for (i64 d = 0; d < block.count[1]; ++d)
        for (i64 h = 0; h < block.count[2]; ++h)
          for (i64 i = 0; i < block.count[3]; ++i, from += lane_count) {
            S lane[lane_count];
            __builtin_memcpy(lane, from, sizeof lane);
            for (i64 half = lane_count / 2; half > 0; half /= 2)
              for (i64 l = 0; l < half; ++l) lane[l] += lane[l + half];
            y[o * s.y_o + n * step[0] + d * step[1] + h * step[2] + i * step[3]] = static_cast<TY>(lane[0]);
          }
  }
}

}  // namespace WEFT_NAMESPACE::kernels
