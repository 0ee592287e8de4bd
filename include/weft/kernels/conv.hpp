#pragma once
// The convolution on the host: a matrix product whose one operand is read through offsets, without laying out
// its columns in memory. The same operands give the same bits for any number of threads: the work is cut by
// shape, and taps are summed in an order that depends on shape and strides alone.
//
// Two ways: with many outputs a vector's lanes are outputs and rows are places, each place a pointer into x;
// with few (depthwise, averages) lanes are neighbouring places. Phases of a dilated x run one by one.

#include "weft/kernels/conv/source.hpp"
#include "weft/kernels/conv/tile.hpp"
#include "weft/kernels/dot/pack.hpp"
#include "weft/kernels/dot/scratch.hpp"
#include "weft/kernels/parallel.hpp"

namespace weft::kernels {

// How a phase is cut. Chosen from its extents alone.
struct ConvPlan {
  bool lanes_are_outputs = false;
  ConvCut cut;
  i64 output_cuts = 1, outputs = 0;  // pieces, and outputs of a piece
  i64 width = 0;                     // of a row of sums
  i64 chunks = 1, channels = 0;      // of the channels, and channels of a chunk
  i64 block_channels = 0, block_taps = 0;
  constexpr i64 block() const { return block_channels * block_taps; }
};

inline constexpr i64 conv_block_k = dot_block_k;

template <class S>
constexpr ConvPlan conv_plan(const ConvShape& s) {
  constexpr i64 lane_count = dot_lanes<S>;
  ConvPlan p;
  const i64 taps = s.taps(), rows = s.batch * s.places();
  p.lanes_are_outputs = 4 * s.outputs >= 3 * lane_count;
  if (p.lanes_are_outputs) {
    p.output_cuts = dot_ceil_div(s.outputs, 2 * dot_tile_cols<S>);
    p.outputs = dot_ceil_div(dot_ceil_div(s.outputs, p.output_cuts), lane_count) * lane_count;
    p.output_cuts = dot_ceil_div(s.outputs, p.outputs);
  } else {
    p.outputs = s.outputs;
  }
  i64 places = p.lanes_are_outputs ? 65536 / p.outputs : 4096;
  places = places > 1024 && p.lanes_are_outputs ? 1024 : places;
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
  if (taps <= conv_block_k) {
    const i64 most = conv_block_k / taps, blocks = dot_ceil_div(p.channels, most);
    p.block_channels = dot_ceil_div(p.channels, blocks);
    p.block_taps = taps;
  } else {
    p.block_channels = 1;
    p.block_taps = dot_ceil_div(taps, dot_ceil_div(taps, conv_block_k));
  }
  p.width = p.lanes_are_outputs ? p.outputs
                                : p.cut.size[0] * p.cut.size[1] * p.cut.size[2] *
                                      (dot_ceil_div(p.cut.size[3], lane_count) * lane_count);
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

// ---- lanes are outputs ----

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
    const ConvSource<S> source = conv_source<false>(s, block, channel + c, some, x, copy);
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

// ---- lanes are places ----

// As conv_rows; sums are (outputs, places), each line of places on whole vectors.
template <class TX, class TW, class S>
void conv_lanes(const ConvShape& s, const ConvPlan& plan, const ConvBlock& block, i64 channel, i64 channels,
                const TX* x, const TW* w, S* sums, S* packed, S* copy, i64* tables) {
  const i64 taps = s.taps();
  const i64 line = dot_ceil_div(block.count[3], dot_lanes<S>) * dot_lanes<S>;
  const ConvTaps at{tables, tables + plan.block()};
  ConvTile<S> tile;
  tile.c_row = plan.width;
  for (i64 c = 0; c < channels; c += plan.block_channels) {
    const i64 some = channels - c < plan.block_channels ? channels - c : plan.block_channels;
    const ConvSource<S> source = conv_source<true>(s, block, channel + c, some, x, copy);
    for (i64 t = 0; t < taps; t += plan.block_taps) {
      const i64 part = taps - t < plan.block_taps ? taps - t : plan.block_taps;
      const i64 k = some * part;
      conv_taps(s, source, some, t, part, at);
      const TW* from = w + (channel + c) * s.w_c;
      for (i64 o = 0; o < s.outputs; ++o)
        for (i64 l = 0; l < k; ++l) packed[o * k + l] = static_cast<S>(from[o * s.w_o + at.w[l]]);
      tile.k = k;
      tile.at = at.x;
      i64 to = 0;
      for (i64 n = 0; n < block.count[0]; ++n)
        for (i64 d = 0; d < block.count[1]; ++d)
          for (i64 h = 0; h < block.count[2]; ++h, to += line) {
            const S* base =
                source.base + n * source.image_step + d * source.place_step[0] + h * source.place_step[1];
            for (i64 j = 0, width = 0; j < block.count[3]; j += width) {
              width = dot_strip_cols<S>(block.count[3] - j);
              const i64 vectors = dot_ceil_div(width, dot_lanes<S>);
              tile.last = width - (vectors - 1) * dot_lanes<S>;
              tile.b = base + j;
              for (i64 o = 0; o < s.outputs;) {
                i64 rows = s.outputs - o;
                const ConvTileFunction<S> run = conv_tile_for<S, ConvGathers::by_lane>(rows, vectors);
                for (i64 r = 0; r < rows; ++r) tile.a[r] = packed + (o + r) * k;
                tile.c = sums + o * plan.width + to + j;
                run(tile);
                o += rows;
              }
            }
          }
      tile.accumulate = true;
    }
  }
}

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
          if (step[3] == 1)
            for (i64 i = 0; i < block.count[3]; ++i) to[i] = static_cast<TY>(from[i]);
          else
            for (i64 i = 0; i < block.count[3]; ++i) to[i * step[3]] = static_cast<TY>(from[i]);
        }
  }
}

// ---- both ----

// Partial sums of a convolution that is cut along its channels; of the thread that starts it.
inline DotScratch& conv_partial_scratch() {
  static thread_local DotScratch scratch;
  return scratch;
}

template <class TX, class TW, class TY>
void conv_one_phase(const ConvShape& s, const TX* x, const TW* w, TY* y, int max_threads) {
  using S = DotSum2<TX, TW>;
  if (s.groups * s.batch * s.outputs * s.places() <= 0) return;
  const bool nothing = s.channels <= 0 || s.taps() <= 0 || s.axis[0].in * s.axis[1].in * s.axis[2].in <= 0;
  if (nothing) {
    for (i64 g = 0; g < s.groups; ++g)
      for (i64 n = 0; n < s.batch; ++n)
        for (i64 o = 0; o < s.outputs; ++o)
          for (i64 d = 0; d < s.axis[0].out; ++d)
            for (i64 h = 0; h < s.axis[1].out; ++h)
              for (i64 i = 0; i < s.axis[2].out; ++i)
                y[g * s.y_g + n * s.y_n + o * s.y_o + d * s.axis[0].y + h * s.axis[1].y + i * s.axis[2].y] =
                    static_cast<TY>(S{});
    return;
  }
  const ConvPlan plan = conv_plan<S>(s);
  const i64 rows = plan.cut.size[0] * plan.cut.size[1] * plan.cut.size[2] * plan.cut.size[3];
  const i64 sum_size = plan.lanes_are_outputs ? rows * plan.width : s.outputs * plan.width;
  const i64 packed_size = plan.block() * plan.outputs;
  const i64 run_size = std::is_same_v<TW, S> ? 0 : plan.block() * dot_tile_cols<S>;
  const i64 copy_size = conv_copy_size<S>(s, plan.cut, plan.block_channels);
  const i64 table_size = rows + 2 * plan.block();
  const i64 blocks = plan.cut.blocks(), tiles = s.groups * plan.output_cuts * blocks;
  S* partial = nullptr;
  if (plan.chunks > 1)
    partial = static_cast<S*>(
        conv_partial_scratch().get(tiles * plan.chunks * sum_size * static_cast<i64>(sizeof(S))));

  struct Tile {
    ConvBlock block;
    i64 group, output, outputs;
  };
  // blocks of one group and one piece of its outputs follow each other
  const auto tile_of = [&](i64 number) {
    Tile t;
    t.block = plan.cut.block(number % blocks);
    number /= blocks;
    t.output = number % plan.output_cuts * plan.outputs;
    t.outputs = s.outputs - t.output < plan.outputs ? s.outputs - t.output : plan.outputs;
    t.group = number / plan.output_cuts;
    return t;
  };
  const auto store = [&](const Tile& t, const S* sums) {
    TY* to = y + t.group * s.y_g + t.output * s.y_o;
    if (plan.lanes_are_outputs)
      conv_store<TY, S>(s, plan, t.block, t.outputs, sums, to);
    else
      conv_store_lanes<TY, S>(s, plan, t.block, sums, to);
  };
  const auto compute = [&](i64 number) {
    const Tile t = tile_of(number / plan.chunks);
    const i64 chunk = number % plan.chunks, channel = chunk * plan.channels;
    const i64 channels = s.channels - channel < plan.channels ? s.channels - channel : plan.channels;
    // tables first: they are the most aligned
    const i64 room = sum_size + packed_size + run_size + copy_size + 8;
    i64* tables =
        static_cast<i64*>(dot_scratch().get(table_size * 8 + room * static_cast<i64>(sizeof(S)) + 64));
    S* own = reinterpret_cast<S*>(tables + (table_size + 7) / 8 * 8);
    S* sums = partial ? partial + number * sum_size : own;
    S *packed = own + sum_size, *runs = packed + packed_size, *copy = runs + run_size;
    const TX* from = x + t.group * s.x_g;
    const TW* window = w + t.group * s.w_g + t.output * s.w_o;
    if (plan.lanes_are_outputs)
      conv_rows<TX, TW, S>(s, plan, t.block, channel, channels, t.outputs, from, window, sums, packed, runs,
                           copy, tables);
    else
      conv_lanes<TX, TW, S>(s, plan, t.block, channel, channels, from, window, sums, packed, copy, tables);
    if (!partial) store(t, sums);
  };
  // Small tiles go to a thread several at a time.
  const i64 work = rows * plan.outputs * plan.channels * s.taps();
  const i64 together = work < 1000000 ? 1000000 / (work > 0 ? work : 1) + 1 : 1;
  const i64 all = tiles * plan.chunks;
  parallel_for(dot_ceil_div(all, together), max_threads, [&](i64 item) {
    const i64 end = (item + 1) * together < all ? (item + 1) * together : all;
    for (i64 number = item * together; number < end; ++number) compute(number);
  });
  if (partial)
    parallel_for(tiles, max_threads, [&](i64 tile) {
      S* sums = partial + tile * plan.chunks * sum_size;
      for (i64 c = 1; c < plan.chunks; ++c)
        for (i64 i = 0; i < sum_size; ++i) sums[i] += sums[c * sum_size + i];
      store(tile_of(tile), sums);
    });
}

// y = conv(x, w), on at most max_threads threads (0: all). y must overlap neither x nor w.
template <class TX, class TW, class TY>
void conv(const ConvShape& s, const TX* x, const TW* w, TY* y, int max_threads = 0) {
  const i64 phases = conv_phases(s);
  for (i64 k = 0; k < phases; ++k) {
    const ConvPhase phase = conv_phase(s, k);
    conv_one_phase<TX, TW, TY>(phase.shape, x, w + phase.w_at, y + phase.y_at, max_threads);
  }
}

}  // namespace weft::kernels
