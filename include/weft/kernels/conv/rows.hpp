#pragma once
// A block of a convolution with many outputs: a matrix product whose rows are places, each place a pointer
// into x, and whose columns, a vector's lanes, are outputs.

#include "weft/kernels/conv/plan.hpp"
#include "weft/kernels/conv/tile.hpp"
#include "weft/kernels/gemm/packing.hpp"

namespace WEFT_NAMESPACE::kernels {

// w's outputs [0, outputs) of `k` taps as k rows of lanes, strip after strip.
template <class TW, class S>
void conv_pack(const ConvShape& s, const TW* w, const i64* at, i64 k, i64 outputs, S* packed, S* runs) {
  for (i64 j = 0, width = 0; j < outputs; j += width) {
    width = dot_strip_cols<S>(outputs - j);
    const i64 padded = dot_ceil_div(width, dot_lanes<S>) * dot_lanes<S>;
    S* out = packed + j * k;
    for (i64 l = 0, run = 0; l < k; l += run) {
      const i64 step = l + 1 < k ? at[l + 1] - at[l] : 1;
      for (run = 1; l + run < k && at[l + run] - at[l + run - 1] == step;) ++run;
      dot_pack<TW, S>(w + at[l] + j * s.w_o, s.w_o, step, width, run, out + l * padded, padded, runs);
    }
  }
}

// Adds the sums of channels [channel, channel + channels) of a block: (rows, width), zero at first.
template <class TX, class TW, class S>
void conv_rows(const ConvShape& s, const ConvPlan& plan, const ConvBlock& block, i64 channel, i64 channels,
               i64 outputs, const TX* x, const TW* w, S* sums, S* packed, S* runs, S* copy, i64* tables) {
  const i64 rows = block.size(), taps = s.taps();
  i64* row_at = tables;
  const ConvTaps at{tables + rows, tables + rows + plan.block()};
  ConvTile<S> tile;
  tile.accumulate = false;
  for (i64 c = 0; c < channels; c += plan.block_channels) {
    const i64 some = channels - c < plan.block_channels ? channels - c : plan.block_channels;
    const ConvSource<S> source = conv_source<ConvNear::none>(s, block, channel + c, some, x, copy);
    i64 row = 0;
    for (i64 n = 0; n < block.count[0]; ++n)
      for (i64 d = 0; d < block.count[1]; ++d)
        for (i64 h = 0; h < block.count[2]; ++h)
          for (i64 i = 0; i < block.count[3]; ++i)
            row_at[row++] = n * source.image_step + d * source.place_step[0] + h * source.place_step[1] +
                            i * source.place_step[2];
    for (i64 t = 0; t < taps; t += plan.block_taps) {
      const i64 part = taps - t < plan.block_taps ? taps - t : plan.block_taps;
      const i64 k = some * part;
      conv_taps(s, source, some, t, part, at);
      conv_pack<TW, S>(s, w + (channel + c) * s.w_c, at.w, k, outputs, packed, runs);
      tile.k = k;
      tile.at = at.x;
      tile.c_row = plan.width;
      for (i64 j = 0, width = 0; j < outputs; j += width) {
        width = dot_strip_cols<S>(outputs - j);
        const i64 vectors = dot_ceil_div(width, dot_lanes<S>);
        tile.b = packed + j * k;
        tile.b_row = vectors * dot_lanes<S>;
        tile.last = dot_lanes<S>;
        for (i64 i = 0; i < rows;) {
          i64 some_rows = rows - i;
          const ConvTileFunction<S> run = conv_tile_for<S, ConvGathers::by_row>(some_rows, vectors);
          for (i64 r = 0; r < some_rows; ++r) tile.a[r] = source.base + row_at[i + r];
          tile.c = sums + i * plan.width + j;
          run(tile);
          i += some_rows;
        }
      }
      tile.accumulate = true;
    }
  }
}

// Turns `rows` rows of sums, `width` apart, into `outputs` runs that lie y_o apart.
template <class TY, class S>
void conv_store_run(const S* sums, i64 width, i64 rows, i64 outputs, TY* y, i64 y_o) {
  i64 row = 0;
  if constexpr (std::is_same_v<TY, f32> && std::is_same_v<S, f32>) {
#if defined(__AVX512F__)
    for (; row + 16 <= rows; row += 16)
      dot_pack_group<16>(sums + row * width, width, 16, outputs, y + row, y_o);
#endif
    for (; row + 4 <= rows; row += 4) dot_pack_group<4>(sums + row * width, width, 4, outputs, y + row, y_o);
  }
  for (i64 o = 0; o < outputs; ++o)
    for (i64 r = row; r < rows; ++r) y[o * y_o + r] = static_cast<TY>(sums[r * width + o]);
}

// y: the block's group and first output.
template <class TY, class S>
void conv_store(const ConvShape& s, const ConvPlan& plan, const ConvBlock& block, i64 outputs, const S* sums,
                TY* y) {
  const i64 step[4]{s.y_n, s.axis[0].y, s.axis[1].y, s.axis[2].y};
  for (int k = 0; k < 4; ++k) y += block.begin[k] * step[k];
  // places that follow each other in y
  i64 run = 1;
  int outer = 3;
  while (outer >= 0 && (block.count[outer] == 1 || step[outer] == run)) run *= block.count[outer--];
  i64 count[4]{1, 1, 1, 1};
  for (int k = 0; k <= outer; ++k) count[k] = block.count[k];
  const S* from = sums;
  for (i64 a = 0; a < count[0]; ++a)
    for (i64 b = 0; b < count[1]; ++b)
      for (i64 c = 0; c < count[2]; ++c)
        for (i64 d = 0; d < count[3]; ++d, from += run * plan.width) {
          TY* to = y + (outer >= 0 ? a * step[0] : 0) + (outer >= 1 ? b * step[1] : 0) +
                   (outer >= 2 ? c * step[2] : 0) + (outer >= 3 ? d * step[3] : 0);
          if (s.y_o == 1)
            for (i64 r = 0; r < run; ++r)
              for (i64 o = 0; o < outputs; ++o) to[r + o] = static_cast<TY>(from[r * plan.width + o]);
          else
            conv_store_run<TY, S>(from, plan.width, run, outputs, to, s.y_o);
        }
}

}  // namespace WEFT_NAMESPACE::kernels
