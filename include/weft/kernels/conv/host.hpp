#pragma once
// The convolution on the host: a matrix product whose one operand is read through offsets, without laying out
// its columns in memory. The same operands give the same bits for any number of threads: the work is cut by
// shape, and taps are summed in an order that depends on shape and strides alone.
//
// Three ways: with many outputs a vector's lanes are outputs (conv/rows.hpp); with few, neighbouring places
// (conv/lanes.hpp) or, where a line of taps fills more of a vector than a line of places, neighbouring taps
// (conv/taps.hpp). A dilated x is a convolution without gaps for every phase.

#include "weft/kernels/conv/lanes.hpp"
#include "weft/kernels/conv/rows.hpp"
#include "weft/kernels/conv/taps.hpp"
#include "weft/kernels/gemm/scratch.hpp"
#include "weft/kernels/team/parallel.hpp"

namespace WEFT_NAMESPACE::kernels {

// Partial sums of a convolution that is cut along its channels; of the thread that starts it.
inline DotScratch& conv_partial_scratch() {
  static thread_local DotScratch scratch;
  return scratch;
}

// One phase, ready to be computed tile by tile; tiles write different places.
template <class TX, class TW, class TY>
class ConvJob {
 public:
  using S = DotSum2<TX, TW>;

  ConvJob() = default;
  ConvJob(const ConvShape& shape, const TX* x, const TW* w, TY* y) : s(shape), x_(x), w_(w), y_(y) {
    if (s.groups * s.batch * s.outputs * s.places() <= 0) return;
    if (s.channels <= 0 || s.taps() <= 0 || s.axis[0].in * s.axis[1].in * s.axis[2].in <= 0) {
      clear();
      return;
    }
    plan_ = conv_plan<S>(s);
    rows_ = plan_.cut.size[0] * plan_.cut.size[1] * plan_.cut.size[2] * plan_.cut.size[3];
    blocks_ = plan_.cut.blocks();
    tiles_ = s.groups * plan_.output_cuts * blocks_;
    sum_size_ = plan_.way == ConvWay::outputs ? rows_ * plan_.width : s.outputs * plan_.width;
    in_place_ =
        std::is_same_v<TY, S> && plan_.way == ConvWay::places && plan_.chunks == 1 && s.axis[2].y == 1;
  }

  i64 tiles() const { return tiles_; }
  // Tiles times the pieces that their channels are cut into.
  i64 items() const { return tiles_ * plan_.chunks; }
  i64 work() const { return rows_ * plan_.outputs * plan_.channels * s.taps(); }  // of an item
  i64 partial_size() const { return plan_.chunks > 1 ? items() * sum_size_ : 0; }

  // `partial`: this phase's sums, where channels are cut, else unused.
  void compute(i64 number, S* partial) const {
    const Tile t = tile_of(number / plan_.chunks);
    const i64 chunk = number % plan_.chunks, channel = chunk * plan_.channels;
    const i64 channels = s.channels - channel < plan_.channels ? s.channels - channel : plan_.channels;
    // tables first: they are the most aligned
    const i64 own_size = in_place_ ? 0 : sum_size_;
    const i64 packed_size = plan_.way == ConvWay::taps ? plan_.block() : plan_.block() * plan_.outputs;
    const i64 run_size = std::is_same_v<TW, S> ? 0 : plan_.block() * dot_tile_cols<S>;
    const i64 copy_size = conv_copy_size<S>(s, plan_.cut, plan_.block_channels);
    const i64 table_size = plan_.way == ConvWay::taps ? 0 : rows_ + 2 * plan_.block();
    const i64 room = own_size + packed_size + run_size + copy_size + 8;
    i64* tables =
        static_cast<i64*>(dot_scratch().get(table_size * 8 + room * static_cast<i64>(sizeof(S)) + 64));
    S* own = reinterpret_cast<S*>(tables + (table_size + 7) / 8 * 8);
    S* sums = plan_.chunks > 1 ? partial + number * sum_size_ : own;
    S *packed = own + own_size, *runs = packed + packed_size, *copy = runs + run_size;
    const TX* from = x_ + t.group * s.x_g;
    const TW* window = w_ + t.group * s.w_g + t.output * s.w_o;
    if (plan_.way == ConvWay::outputs)
      conv_rows<TX, TW, S>(s, plan_, t.block, channel, channels, t.outputs, from, window, sums, packed, runs,
                           copy, tables);
    else if (plan_.way == ConvWay::taps)
      conv_tap_lanes<TX, TW, S>(s, plan_, t.block, channel, channels, from, window, sums, packed, copy);
    else
      conv_lanes<TX, TW, S>(s, plan_, t.block, channel, channels, from, window, lane_sums(t, sums), packed,
                            copy, tables);
    if (plan_.chunks == 1 && !in_place_) store(t, sums);
  }

  // Adds up the pieces of a tile's channels.
  void finish(i64 tile, S* partial) const {
    S* sums = partial + tile * plan_.chunks * sum_size_;
    for (i64 c = 1; c < plan_.chunks; ++c)
      for (i64 i = 0; i < sum_size_; ++i) sums[i] += sums[c * sum_size_ + i];
    store(tile_of(tile), sums);
  }

 private:
  struct Tile {
    ConvBlock block;
    i64 group, output, outputs;
  };
  // Blocks of one group and one piece of its outputs follow each other.
  Tile tile_of(i64 number) const {
    Tile t;
    t.block = plan_.cut.block(number % blocks_);
    number /= blocks_;
    t.output = number % plan_.output_cuts * plan_.outputs;
    t.outputs = s.outputs - t.output < plan_.outputs ? s.outputs - t.output : plan_.outputs;
    t.group = number / plan_.output_cuts;
    return t;
  }
  // y itself, or `sums` with lines of whole vectors.
  ConvSums<S> lane_sums(const Tile& t, S* sums) const {
    ConvSums<S> r;
    if constexpr (std::is_same_v<TY, S>)
      if (in_place_) {
        const ConvBlock& b = t.block;
        r.base = y_ + t.group * s.y_g + b.begin[0] * s.y_n + b.begin[1] * s.axis[0].y +
                 b.begin[2] * s.axis[1].y + b.begin[3];
        r.output = s.y_o;
        r.outer[0] = s.y_n, r.outer[1] = s.axis[0].y, r.outer[2] = s.axis[1].y;
        r.own = false;
        return r;
      }
    r.base = sums;
    r.output = plan_.width;
    r.outer[2] = dot_ceil_div(t.block.count[3], dot_lanes<S>) * dot_lanes<S>;
    r.outer[1] = r.outer[2] * t.block.count[2];
    r.outer[0] = r.outer[1] * t.block.count[1];
    return r;
  }
  void store(const Tile& t, const S* sums) const {
    TY* to = y_ + t.group * s.y_g + t.output * s.y_o;
    if (plan_.way == ConvWay::outputs)
      conv_store<TY, S>(s, plan_, t.block, t.outputs, sums, to);
    else if (plan_.way == ConvWay::taps)
      conv_store_taps<TY, S>(s, plan_, t.block, sums, to);
    else
      conv_store_lanes<TY, S>(s, plan_, t.block, sums, to);
  }
  void clear() const {
    for (i64 g = 0; g < s.groups; ++g)
      for (i64 n = 0; n < s.batch; ++n)
        for (i64 o = 0; o < s.outputs; ++o)
          for (i64 d = 0; d < s.axis[0].out; ++d)
            for (i64 h = 0; h < s.axis[1].out; ++h)
              for (i64 i = 0; i < s.axis[2].out; ++i)
                y_[g * s.y_g + n * s.y_n + o * s.y_o + d * s.axis[0].y + h * s.axis[1].y + i * s.axis[2].y] =
                    static_cast<TY>(S{});
  }

  ConvShape s;
  const TX* x_ = nullptr;
  const TW* w_ = nullptr;
  TY* y_ = nullptr;
  ConvPlan plan_;
  i64 rows_ = 0, blocks_ = 0, tiles_ = 0, sum_size_ = 0;
  bool in_place_ = false;
};

// y = conv(x, w), on at most max_threads threads (0: all). y must overlap neither x nor w.
template <class TX, class TW, class TY>
void conv(const ConvShape& s, const TX* x, const TW* w, TY* y, int max_threads = 0) {
  using Job = ConvJob<TX, TW, TY>;
  using S = typename Job::S;
  const i64 phases = conv_phases(s);
  constexpr i64 most = 8;  // phases at once: they write between each other's places
  for (i64 first = 0; first < phases; first += most) {
    const i64 count = phases - first < most ? phases - first : most;
    Job job[most];
    S* partial[most]{};
    i64 items = 0, tiles = 0, work = 0, size = 0, at[most]{};
    for (i64 k = 0; k < count; ++k) {
      const ConvPhase phase = conv_phase(s, first + k);
      job[k] = Job(phase.shape, x, w + phase.w_at, y + phase.y_at);
      items = job[k].items() > items ? job[k].items() : items;
      tiles = job[k].partial_size() > 0 && job[k].tiles() > tiles ? job[k].tiles() : tiles;
      work += job[k].work();
      at[k] = size;
      size += (job[k].partial_size() + 15) / 16 * 16 +
              (job[k].partial_size() > 0 ? 16 : 0);  // stores may read on
    }
    if (size > 0) {
      S* memory = static_cast<S*>(conv_partial_scratch().get(size * static_cast<i64>(sizeof(S))));
      for (i64 k = 0; k < count; ++k) partial[k] = memory + at[k];
    }
    // Small tiles go to a thread several at a time.
    const i64 together = work < 1000000 ? 1000000 / (work > 0 ? work : 1) + 1 : 1;
    parallel_for(dot_ceil_div(items, together), max_threads, [&](i64 part) {
      const i64 end = (part + 1) * together < items ? (part + 1) * together : items;
      for (i64 number = part * together; number < end; ++number)
        for (i64 k = 0; k < count; ++k)
          if (number < job[k].items()) job[k].compute(number, partial[k]);
    });
    if (tiles > 0)
      parallel_for(tiles, max_threads, [&](i64 tile) {
        for (i64 k = 0; k < count; ++k)
          if (job[k].partial_size() > 0 && tile < job[k].tiles()) job[k].finish(tile, partial[k]);
      });
  }
}

}  // namespace WEFT_NAMESPACE::kernels
