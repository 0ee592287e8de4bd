#pragma once
// How a convolution without gaps is cut, and what a vector's lanes are in it. Law: a function of its shape
// alone.

#include "weft/kernels/conv/source.hpp"
#include "weft/kernels/gemm/tile.hpp"

namespace WEFT_NAMESPACE::kernels {

// What lies next to each other in a vector.
enum class ConvWay : u8 { outputs, places, taps };

// How a phase is cut. Chosen from its extents alone.
struct ConvPlan {
  ConvWay way = ConvWay::places;
  ConvCut cut;
  i64 output_cuts = 1, outputs = 0;  // pieces, and outputs of a piece
  i64 width = 0;                     // of a row of sums
  i64 chunks = 1, channels = 0;      // of the channels, and channels of a chunk
  i64 block_channels = 0, block_taps = 0;
  constexpr i64 block() const { return block_channels * block_taps; }
};

inline constexpr i64 conv_block_k = dot_block_k;
// Elements of x that the channels of a block have, where lanes are taps.
inline constexpr i64 conv_block_span = 16384;

template <class S>
constexpr ConvPlan conv_plan(const ConvShape& s) {
  constexpr i64 lane_count = dot_lanes<S>;
  ConvPlan p;
  const i64 taps = s.taps(), rows = s.batch * s.places();
  const bool by_output = 4 * s.outputs >= 3 * lane_count;
  if (by_output) p.way = ConvWay::outputs;
  // the share of a vector's lanes that a line fills, as a fraction's parts
  const auto padded = [](i64 n) { return dot_ceil_div(n, lane_count) * lane_count; };
  const i64 line = s.axis[2].out, window = s.axis[2].window;
  if (!by_output && window * padded(line) > line * padded(window) && s.channels * taps >= 8 * lane_count)
    p.way = ConvWay::taps;
  if (by_output) {
    p.output_cuts = dot_ceil_div(s.outputs, 2 * dot_tile_cols<S>);
    p.outputs = dot_ceil_div(dot_ceil_div(s.outputs, p.output_cuts), lane_count) * lane_count;
    p.output_cuts = dot_ceil_div(s.outputs, p.outputs);
  } else {
    p.outputs = s.outputs;
  }
  i64 places = by_output ? 65536 / p.outputs : 4096;
  places = places > 1024 && by_output ? 1024 : places;
  const auto items = [&] { return s.groups * p.output_cuts * p.cut.blocks() * p.chunks; };
  p.cut = conv_cut(s, places);
  // few sums over many taps: parts of the channels, whose sums are added up at the end
  if (items() < 16) {
    const i64 work = rows * s.outputs * s.channels * taps;
    const i64 wanted = dot_ceil_div(16, items()), worth = work / 2000000;
    p.chunks = wanted < worth ? wanted : worth;
    if (p.chunks > s.channels) p.chunks = s.channels;
    if (p.chunks < 1) p.chunks = 1;
  }
  p.channels = dot_ceil_div(s.channels, p.chunks);
  p.chunks = dot_ceil_div(s.channels, p.channels);
  while (items() < 16 && places > 64) p.cut = conv_cut(s, places /= 2);
  if (p.way == ConvWay::taps) {
    i64 span = 1;  // of a channel
    for (const ConvAxis& a : s.axis) span *= (a.out - 1) * a.stride + (a.window - 1) * a.w_dilation + 1;
    p.block_channels = span < conv_block_span ? conv_block_span / span : 1;
    if (p.block_channels > p.channels) p.block_channels = p.channels;
    p.block_taps = s.axis[0].window * s.axis[1].window * padded(window);
  } else if (taps <= conv_block_k) {
    const i64 most = conv_block_k / taps, blocks = dot_ceil_div(p.channels, most);
    p.block_channels = dot_ceil_div(p.channels, blocks);
    p.block_taps = taps;
  } else {
    p.block_channels = 1;
    p.block_taps = dot_ceil_div(taps, dot_ceil_div(taps, conv_block_k));
  }
  const i64 lines = p.cut.size[0] * p.cut.size[1] * p.cut.size[2];
  p.width = p.way == ConvWay::outputs  ? p.outputs
            : p.way == ConvWay::places ? lines * padded(p.cut.size[3])
                                       : lines * p.cut.size[3] * lane_count;
  return p;
}

// The taps of a block, in the order in which they are summed: offsets into x and into w.
struct ConvTaps {
  i64* x = nullptr;
  i64* w = nullptr;
};
template <class S>
void conv_taps(const ConvShape& s, const ConvSource<S>& source, i64 channels, i64 first_tap, i64 taps,
               const ConvTaps& out) {
  i64 l = 0;
  for (i64 c = 0; c < channels; ++c)
    for (i64 t = first_tap; t < first_tap + taps; ++t, ++l) {
      i64 rest = t, x = c * source.channel_step, w = c * s.w_c;
      for (int k = 2; k >= 0; --k) {
        const ConvAxis& a = s.axis[k];
        i64 tap = rest % a.window;
        rest /= a.window;
        if (a.w < 0) tap = a.window - 1 - tap;  // w in the order of its memory
        x += source.tap(k, tap);
        w += tap * a.w;
      }
      out.x[l] = x;
      out.w[l] = w;
    }
}

}  // namespace WEFT_NAMESPACE::kernels
