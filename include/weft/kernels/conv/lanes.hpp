#pragma once
// A block of a convolution with few outputs (depthwise, averages): a vector's lanes are neighbouring places.

#include "weft/kernels/conv/plan.hpp"
#include "weft/kernels/conv/tile.hpp"

namespace WEFT_NAMESPACE::kernels {

// Where the sums of a block go: place after place along the last axis.
template <class S>
struct ConvSums {
  S* base = nullptr;
  i64 output = 0;   // from one output to the next
  i64 outer[3]{};   // from one image, and one place of the first axes, to the next
  bool own = true;  // a line may be written to the end of its last vector
};

// Adds the sums of channels [channel, channel + channels) of a block, each line of places on whole vectors of
// x; the sums are zero at first.
template <class TX, class TW, class S>
void conv_lanes(const ConvShape& s, const ConvPlan& plan, const ConvBlock& block, i64 channel, i64 channels,
                const TX* x, const TW* w, const ConvSums<S>& sums, S* packed, S* copy, i64* tables) {
  const i64 taps = s.taps(), heights = block.count[2];
  const ConvTaps at{tables, tables + plan.block()};
  const bool by_line = s.outputs <= 2;  // few rows of weights: rather several lines at a time
  ConvTile<S> tile;
  for (i64 c = 0; c < channels; c += plan.block_channels) {
    const i64 some = channels - c < plan.block_channels ? channels - c : plan.block_channels;
    const ConvSource<S> source = conv_source<ConvNear::places>(s, block, channel + c, some, x, copy);
    for (i64 t = 0; t < taps; t += plan.block_taps) {
      const i64 part = taps - t < plan.block_taps ? taps - t : plan.block_taps;
      const i64 k = some * part;
      conv_taps(s, source, some, t, part, at);
      const TW* from = w + (channel + c) * s.w_c;
      for (i64 o = 0; o < s.outputs; ++o)
        for (i64 l = 0; l < k; ++l) packed[o * k + l] = static_cast<S>(from[o * s.w_o + at.w[l]]);
      tile.k = k;
      tile.at = at.x;
      tile.b_row = source.place_step[1];
      tile.c_row = by_line ? sums.outer[2] : sums.output;
      for (i64 n = 0; n < block.count[0]; ++n)
        for (i64 d = 0; d < block.count[1]; ++d)
          for (i64 h = 0, lines = 1; h < heights; h += lines) {
            const S* base =
                source.base + n * source.image_step + d * source.place_step[0] + h * source.place_step[1];
            S* to = sums.base + n * sums.outer[0] + d * sums.outer[1] + h * sums.outer[2];
            for (i64 j = 0, width = 0; j < block.count[3]; j += width) {
              width = dot_strip_cols<S>(block.count[3] - j);
              const i64 vectors = dot_ceil_div(width, dot_lanes<S>);
              tile.last = width - (vectors - 1) * dot_lanes<S>;
              tile.c_last = sums.own ? dot_lanes<S> : tile.last;
              tile.b = base + j;
              if (by_line) {
                lines = heights - h;
                const ConvTileFunction<S> run = conv_line_tile_for<S>(lines, vectors);
                for (i64 o = 0; o < s.outputs; ++o) {
                  tile.a[0] = packed + o * k;
                  tile.c = to + o * sums.output + j;
                  run(tile);
                }
                continue;
              }
              for (i64 o = 0; o < s.outputs;) {
                i64 rows = s.outputs - o;
                const ConvTileFunction<S> run = conv_tile_for<S, ConvGathers::by_lane>(rows, vectors);
                for (i64 r = 0; r < rows; ++r) tile.a[r] = packed + (o + r) * k;
                tile.c = to + o * sums.output + j;
                run(tile);
                o += rows;
              }
            }
          }
      tile.accumulate = true;
    }
  }
}

#if defined(__AVX512F__)
// The first 8 of `count` elements, every second of `to`; `from` may be read 16 elements on.
inline void conv_store_between(const f32* from, i64 count, f32* to) {
  const DotVector<f32>::type v = dot_load<f32>(from);
  const u32 there = count < 8 ? (1u << (2 * count)) - 1u : 0xffffu;
  __builtin_ia32_storeups512_mask(
      to, __builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7),
      static_cast<u16>(0x5555u & there));
}
#endif

template <class TY, class S>
void conv_store_lanes(const ConvShape& s, const ConvPlan& plan, const ConvBlock& block, const S* sums,
                      TY* y) {
  const i64 line = dot_ceil_div(block.count[3], dot_lanes<S>) * dot_lanes<S>;
  const i64 step[4]{s.y_n, s.axis[0].y, s.axis[1].y, s.axis[2].y};
  for (int k = 0; k < 4; ++k) y += block.begin[k] * step[k];
  for (i64 o = 0; o < s.outputs; ++o) {
    const S* from = sums + o * plan.width;
    for (i64 n = 0; n < block.count[0]; ++n)
      for (i64 d = 0; d < block.count[1]; ++d)
        for (i64 h = 0; h < block.count[2]; ++h, from += line) {
          TY* to = y + o * s.y_o + n * step[0] + d * step[1] + h * step[2];
          if (step[3] == 1) {
            for (i64 i = 0; i < block.count[3]; ++i) to[i] = static_cast<TY>(from[i]);
          } else {
            i64 i = 0;
#if defined(__AVX512F__)
            if constexpr (std::is_same_v<TY, f32> && std::is_same_v<S, f32>)
              if (step[3] == 2)
                for (; i < block.count[3]; i += 8)
                  conv_store_between(from + i, block.count[3] - i, to + 2 * i);
#endif
            for (; i < block.count[3]; ++i) to[i * step[3]] = static_cast<TY>(from[i]);
          }
        }
  }
}

}  // namespace WEFT_NAMESPACE::kernels
