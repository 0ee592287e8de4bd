#pragma once
// The convolution as blocks of a GPU: tiles of outputs x places through shared memory, or one result a thread
// where there are few outputs. Long sums over few results are cut along the channels; the parts are added in
// order by a second kernel. Law: cuts and orders depend on the shape alone.

#include "weft/kernels/conv/shape.hpp"
#include "weft/kernels/gemm/shape.hpp"
#include "weft/kernels/simd/intrinsics.hpp"
#include "weft/kernels/team/team.hpp"

namespace WEFT_NAMESPACE::kernels {

inline constexpr int conv_block_threads = 256;
inline constexpr int conv_tile_outputs = 64, conv_tile_places = 128, conv_tile_taps = 16;

// How a phase is cut into blocks.
struct ConvBlocks {
  bool tiled = false;
  i64 tiles = 0;  // blocks of one part
  i64 output_tiles = 0, place_tiles = 0;
  i64 parts = 1, channels = 0;  // pieces of the channels, and channels of a piece
  i64 steps = 0;                // of a part on tensor cores (packed.hpp)
  i64 results = 0;              // elements of y
  constexpr i64 blocks() const { return tiles * parts; }
};

// `tiled`: as tiles of outputs x places, else one result a thread.
constexpr ConvBlocks conv_blocks(const ConvShape& s, bool tiled) {
  ConvBlocks b;
  const auto ceil = [](i64 x, i64 y) { return (x + y - 1) / y; };
  const i64 places = s.batch * s.places();
  b.results = s.groups * s.outputs * places;
  b.channels = s.channels;
  if (b.results <= 0) return b;
  b.tiled = tiled;
  b.output_tiles = ceil(s.outputs, conv_tile_outputs);
  b.place_tiles = ceil(places, conv_tile_places);
  b.tiles = b.tiled ? s.groups * b.output_tiles * b.place_tiles : ceil(b.results, conv_block_threads);
  const i64 wanted = ceil(512, b.tiles), taps = s.channels * s.taps();
  if (b.tiles < 256 && taps >= 512) {
    b.parts = wanted < taps / 256 ? wanted : taps / 256;
    if (b.parts > s.channels) b.parts = s.channels;
    b.channels = ceil(s.channels, b.parts);
    b.parts = ceil(s.channels, b.channels);
  }
  return b;
}

// Tiles are for as many outputs at the least.
inline constexpr i64 conv_least_outputs = 8;
constexpr ConvBlocks conv_blocks(const ConvShape& s) {
  return conv_blocks(s, s.outputs >= conv_least_outputs);
}

// Four neighbours, moved at once.
template <class S>
struct alignas(16) ConvQuad {
  S v[4];
};
// A place along an axis that is outside whatever is added to it, itself included.
inline constexpr i32 conv_nowhere = -(1 << 30);
// Where one tap lies: offsets of x and w, and its place along every axis.
struct alignas(16) ConvTapPlace {
  i64 x, w;
  i32 at[3];
};

template <class S>
WEFT_HD constexpr i64 conv_shared_bytes() {
  return static_cast<i64>(sizeof(ConvQuad<S>)) * conv_tile_taps *
             (conv_tile_outputs / 4 + 1 + conv_tile_places / 4 + 1) +
         2 * conv_tile_taps * static_cast<i64>(sizeof(ConvTapPlace)) + 64;
}

struct ConvBlockArgs {
  ConvShape shape;
  ConvBlocks cut;
  const void* x = nullptr;
  const void* w = nullptr;
  void* y = nullptr;
  void* partial = nullptr;  // parts x results of the sums' type, where there are parts
};

// y's element of a result counted as (group, output, image, place).
WEFT_HD_INLINE i64 conv_result_at(const ConvShape& s, i64 group, i64 output, i64 place) {
  const i64 places = s.places(), image = place / places;
  i64 at = group * s.y_g + output * s.y_o + image * s.y_n, rest = place - image * places;
  WEFT_UNROLL
  for (int k = 2; k >= 0; --k) {
    at += rest % s.axis[k].out * s.axis[k].y;
    rest /= s.axis[k].out;
  }
  return at;
}

// Writes a sum: rounded to y, or into its part's sums.
template <class TY, class S>
WEFT_HD_INLINE void conv_result(const ConvBlockArgs& args, i64 part, i64 group, i64 output, i64 place,
                                S sum) {
  const ConvShape& s = args.shape;
  if (args.cut.parts > 1)
    static_cast<S*>(
        args.partial)[part * args.cut.results + (group * s.outputs + output) * s.batch * s.places() + place] =
        sum;
  else
    static_cast<TY*>(args.y)[conv_result_at(s, group, output, place)] = static_cast<TY>(sum);
}

// Where a place's window begins.
struct ConvCorner {
  i64 x = 0;
  i32 at[3]{};
};
WEFT_HD_INLINE ConvCorner conv_corner(const ConvShape& s, i64 place) {
  ConvCorner c;
  const i64 places = s.places(), image = place / places;
  c.x = image * s.x_n;
  i64 rest = place - image * places;
  WEFT_UNROLL
  for (int k = 2; k >= 0; --k) {
    const ConvAxis& a = s.axis[k];
    const i64 at = rest % a.out * a.stride - a.low;
    rest /= a.out;
    c.at[k] = static_cast<i32>(at);
    c.x += at * a.x;
  }
  if (image >= s.batch) c.at[0] = conv_nowhere;
  return c;
}

// One tile: outputs x places, 4 x 8 of them a thread. A team of conv_block_threads with conv_shared_bytes.
template <class TX, class TW, class TY, class Team>
WEFT_HD_INLINE void conv_tile_block(Team& team, const ConvBlockArgs& args, i64 block) {
  using S = DotSum2<TX, TW>;
  using Quad = ConvQuad<S>;
  constexpr int steps = conv_tile_taps, left_pitch = conv_tile_outputs / 4 + 1,
                right_pitch = conv_tile_places / 4 + 1;
  const ConvShape& s = args.shape;
  auto left = team.template shared<Quad>(steps * left_pitch);
  auto right = team.template shared<Quad>(steps * right_pitch);
  auto table = team.template shared<ConvTapPlace>(2 * steps);
  const i64 place_tile = block % args.cut.place_tiles;
  i64 rest = block / args.cut.place_tiles;
  const i64 output_tile = rest % args.cut.output_tiles;
  rest /= args.cut.output_tiles;
  const i64 group = rest % s.groups, part = rest / s.groups;
  const i64 first_place = place_tile * conv_tile_places, first_output = output_tile * conv_tile_outputs;
  const i64 taps = s.taps(), begin = part * args.cut.channels * taps;
  const i64 last_channel =
      (part + 1) * args.cut.channels < s.channels ? (part + 1) * args.cut.channels : s.channels;
  const i64 end = last_channel * taps;
  const TX* x = static_cast<const TX*>(args.x) + group * s.x_g;
  const TW* w = static_cast<const TW*>(args.w) + group * s.w_g;
  const int rank = team.rank();

  // what this thread fetches: four places of taps rank / 32 + 8 i, four outputs of tap rank % 16
  const int fetched = rank % 32, fetched_outputs = rank / 16;
  ConvCorner corner[4];
  WEFT_UNROLL
  for (int j = 0; j < 4; ++j) corner[j] = conv_corner(s, first_place + 4 * fetched + j);

  const auto describe = [&](i64 step) __attribute__((always_inline)) {
    if (rank >= steps) return;
    const i64 tap = begin + step * steps + rank;
    ConvTapPlace p{0, 0, {conv_nowhere, 0, 0}};
    if (tap < end) {
      const i64 channel = tap / taps;
      i64 at = tap - channel * taps;
      p.x = channel * s.x_c;
      p.w = channel * s.w_c;
      WEFT_UNROLL
      for (int k = 2; k >= 0; --k) {
        const ConvAxis& a = s.axis[k];
        const i64 here = at % a.window;
        at /= a.window;
        p.at[k] = static_cast<i32>(here * a.w_dilation);
        p.x += here * a.w_dilation * a.x;
        p.w += here * a.w;
      }
    }
    table[static_cast<int>(step & 1) * steps + rank] = p;
  };

  S sum[4][8];
  WEFT_UNROLL
  for (int i = 0; i < 4; ++i) {
    WEFT_UNROLL
    for (int j = 0; j < 8; ++j) sum[i][j] = S(0);
  }
  const int row = rank / 16, column = rank % 16;
  const i64 all_steps = (end - begin + steps - 1) / steps;
  describe(0);
  team.sync();
  for (i64 step = 0; step < all_steps; ++step) {
    const int half_table = static_cast<int>(step & 1) * steps;
    WEFT_UNROLL
    for (int i = 0; i < steps / 8; ++i) {
      const int l = rank / 32 + 8 * i;
      const ConvTapPlace p = table[half_table + l];
      Quad q;
      WEFT_UNROLL
      for (int j = 0; j < 4; ++j) {
        bool there = true;
        WEFT_UNROLL
        for (int k = 0; k < 3; ++k) {
          const i32 at = corner[j].at[k] + p.at[k];
          there = there && at >= 0 && at < s.axis[k].in;
        }
        q.v[j] = there ? static_cast<S>(x[corner[j].x + p.x]) : S(0);
      }
      right[l * right_pitch + fetched] = q;
    }
    {
      const int l = rank % 16;
      const ConvTapPlace p = table[half_table + l];
      Quad q;
      WEFT_UNROLL
      for (int j = 0; j < 4; ++j) {
        const i64 output = first_output + 4 * fetched_outputs + j;
        q.v[j] = p.at[0] >= 0 && output < s.outputs ? static_cast<S>(w[output * s.w_o + p.w]) : S(0);
      }
      left[l * left_pitch + fetched_outputs] = q;
    }
    describe(step + 1);
    team.sync();
    WEFT_UNROLL
    for (int l = 0; l < steps; ++l) {
      const Quad a = left[l * left_pitch + row];
      const Quad b0 = right[l * right_pitch + column], b1 = right[l * right_pitch + 16 + column];
      WEFT_UNROLL
      for (int i = 0; i < 4; ++i) {
        WEFT_UNROLL
        for (int j = 0; j < 4; ++j) {
          sum[i][j] = fma(a.v[i], b0.v[j], sum[i][j]);
          sum[i][4 + j] = fma(a.v[i], b1.v[j], sum[i][4 + j]);
        }
      }
    }
    team.sync();
  }
  const i64 places = s.batch * s.places();
  WEFT_UNROLL
  for (int j = 0; j < 8; ++j) {
    const i64 place = first_place + 4 * column + j % 4 + (j / 4) * 64;
    if (place >= places) continue;
    WEFT_UNROLL
    for (int i = 0; i < 4; ++i) {
      const i64 output = first_output + 4 * row + i;
      if (output < s.outputs) conv_result<TY>(args, part, group, output, place, sum[i][j]);
    }
  }
}

// One result a thread.
template <class TX, class TW, class TY, class Team>
WEFT_HD_INLINE void conv_direct_block(Team& team, const ConvBlockArgs& args, i64 block) {
  using S = DotSum2<TX, TW>;
  const ConvShape& s = args.shape;
  const i64 part = block / args.cut.tiles;
  const i64 result = (block - part * args.cut.tiles) * team.size() + team.rank();
  if (result >= args.cut.results) return;
  const i64 places = s.batch * s.places(), place = result % places, lead = result / places;
  const i64 group = lead / s.outputs, output = lead - group * s.outputs;
  const ConvCorner corner = conv_corner(s, place);
  const TX* x = static_cast<const TX*>(args.x) + group * s.x_g + corner.x;
  const TW* w = static_cast<const TW*>(args.w) + group * s.w_g + output * s.w_o;
  const i64 begin = part * args.cut.channels,
            end = begin + args.cut.channels < s.channels ? begin + args.cut.channels : s.channels;
  S sum = S(0);
  for (i64 c = begin; c < end; ++c)
    for (i64 d = 0; d < s.axis[0].window; ++d) {
      const i64 at_d = corner.at[0] + d * s.axis[0].w_dilation;
      if (at_d < 0 || at_d >= s.axis[0].in) continue;
      for (i64 h = 0; h < s.axis[1].window; ++h) {
        const i64 at_h = corner.at[1] + h * s.axis[1].w_dilation;
        if (at_h < 0 || at_h >= s.axis[1].in) continue;
        const TX* from =
            x + c * s.x_c + d * s.axis[0].w_dilation * s.axis[0].x + h * s.axis[1].w_dilation * s.axis[1].x;
        const TW* with = w + c * s.w_c + d * s.axis[0].w + h * s.axis[1].w;
        for (i64 i = 0; i < s.axis[2].window; ++i) {
          const i64 by = i * s.axis[2].w_dilation, at = corner.at[2] + by;
          if (at >= 0 && at < s.axis[2].in)
            sum = fma(static_cast<S>(from[by * s.axis[2].x]), static_cast<S>(with[i * s.axis[2].w]), sum);
        }
      }
    }
  conv_result<TY>(args, part, group, output, place, sum);
}

// Adds the parts, one result a thread.
template <class S, class TY, class Team>
WEFT_HD_INLINE void conv_finish_block(Team& team, const ConvBlockArgs& args, i64 block) {
  const ConvShape& s = args.shape;
  const i64 result = block * team.size() + team.rank();
  if (result >= args.cut.results) return;
  const S* from = static_cast<const S*>(args.partial) + result;
  S sum = from[0];
  for (i64 part = 1; part < args.cut.parts; ++part) sum = sum + from[part * args.cut.results];
  const i64 places = s.batch * s.places(), lead = result / places, group = lead / s.outputs;
  static_cast<TY*>(args.y)[conv_result_at(s, group, lead - group * s.outputs, result % places)] =
      static_cast<TY>(sum);
}

// Calls f(args, w and y moved to the phase) for every phase of a convolution that has results; cut(phase)
// says how it is cut.
template <class TW, class TY, class Cut, class F>
void for_each_conv_phase(const ConvShape& shape, const ConvBlockArgs& from, Cut cut, F f) {
  const i64 phases = conv_phases(shape);
  for (i64 k = 0; k < phases; ++k) {
    const ConvPhase phase = conv_phase(shape, k);
    ConvBlockArgs args = from;
    args.shape = phase.shape;
    args.cut = cut(phase.shape);
    args.w = static_cast<const TW*>(from.w) + phase.w_at;
    args.y = static_cast<TY*>(from.y) + phase.y_at;
    if (args.cut.results > 0) f(args);
  }
}

// Bytes of the parts' sums, the most of any phase, each cut as cut(phase) says.
template <class Cut>
constexpr i64 conv_partial_bytes(const ConvShape& shape, i64 sum_size, Cut cut) {
  i64 most = 0;
  for (i64 k = 0; k < conv_phases(shape); ++k) {
    const ConvBlocks blocks = cut(conv_phase(shape, k).shape);
    const i64 bytes = blocks.parts > 1 ? blocks.parts * blocks.results * sum_size : 0;
    if (most < bytes) most = bytes;
  }
  return most;
}
constexpr i64 conv_partial_bytes(const ConvShape& shape, i64 sum_size) {
  return conv_partial_bytes(shape, sum_size, [](const ConvShape& phase) { return conv_blocks(phase); });
}

}  // namespace WEFT_NAMESPACE::kernels
