#pragma once
// What a block of a convolution's result reads: x in place where its type fits and every tap lies inside,
// otherwise a copy with the padding in it. Either way place and tap give an element by adding two offsets.

#include <type_traits>

#include "weft/kernels/conv/shape.hpp"
#include "weft/kernels/dot/blocked.hpp"

namespace weft::kernels {

// Places of the result: a range of images and of each axis; all but one of them whole.
struct ConvBlock {
  i64 begin[4]{}, count[4]{};
  constexpr i64 size() const { return count[0] * count[1] * count[2] * count[3]; }
};

// Blocks of about `places` places: whole images where they fit, else whole lines, else parts of a line.
struct ConvCut {
  i64 extent[4]{}, size[4]{}, pieces[4]{};
  constexpr i64 blocks() const { return pieces[0] * pieces[1] * pieces[2] * pieces[3]; }
  constexpr ConvBlock block(i64 number) const {
    ConvBlock b;
    for (int k = 3; k >= 0; --k) {
      b.begin[k] = number % pieces[k] * size[k];
      number /= pieces[k];
      b.count[k] = extent[k] - b.begin[k] < size[k] ? extent[k] - b.begin[k] : size[k];
    }
    return b;
  }
};

constexpr ConvCut conv_cut(const ConvShape& s, i64 places) {
  ConvCut c;
  const i64 extent[4]{s.batch, s.axis[0].out, s.axis[1].out, s.axis[2].out};
  for (int k = 3; k >= 0; --k) {
    c.extent[k] = extent[k];
    const i64 most = places < 1 ? 1 : places < extent[k] ? places : extent[k];
    c.pieces[k] = dot_ceil_div(extent[k], most);
    c.size[k] = dot_ceil_div(extent[k], c.pieces[k]);
    c.pieces[k] = dot_ceil_div(extent[k], c.size[k]);
    places = c.pieces[k] > 1 ? 1 : places / extent[k];
  }
  return c;
}

// Element (image, place, channel, tap) lies at base + image * image_step + channel * channel_step + the sums
// of place_step and tap(); all counted from the block's and the channels' first.
template <class S>
struct ConvSource {
  const S* base = nullptr;
  i64 image_step = 0, channel_step = 0;
  i64 place_step[3]{}, tap_step[3]{};
  i64 interleaved = 1, part = 0;  // the last axis lies as `interleaved` parts, place after place

  i64 tap(int axis, i64 k) const {
    if (axis < 2 || interleaved == 1) return k * tap_step[axis];
    const i64 at = k * tap_step[2];
    return at % interleaved * part + at / interleaved;
  }
};

// Along an axis: how many neighbours of x a block's places and taps span, and where they begin.
struct ConvSpan {
  i64 first = 0, length = 0;
};
constexpr ConvSpan conv_span(const ConvAxis& a, i64 begin, i64 count) {
  return {begin * a.stride - a.low, (count - 1) * a.stride + (a.window - 1) * a.w_dilation + 1};
}

// Room for the copy of a block of `channels` channels.
template <class S>
constexpr i64 conv_copy_size(const ConvShape& s, const ConvCut& cut, i64 channels) {
  i64 size = cut.size[0] * channels;
  for (int k = 0; k < 3; ++k) {
    const i64 length = conv_span(s.axis[k], 0, cut.size[k + 1]).length;
    size *= k < 2 ? length : (length + s.axis[2].stride - 1) / s.axis[2].stride * s.axis[2].stride;
  }
  return size + 4 * dot_lanes<S>;
}

// `x`: the group's. Lanes: whether neighbouring places must be neighbours in memory.
template <bool Lanes, class TX, class S>
ConvSource<S> conv_source(const ConvShape& s, const ConvBlock& block, i64 channel, i64 channels, const TX* x,
                          S* copy) {
  ConvSource<S> r;
  ConvSpan span[3];
  bool inside = true;
  for (int k = 0; k < 3; ++k) {
    span[k] = conv_span(s.axis[k], block.begin[k + 1], block.count[k + 1]);
    inside = inside && span[k].first >= 0 && span[k].first + span[k].length <= s.axis[k].in;
  }
  x += block.begin[0] * s.x_n + channel * s.x_c;
  if constexpr (std::is_same_v<TX, S>)
    if (inside && (!Lanes || (dot_masks<S> && s.axis[2].x == 1 && s.axis[2].stride == 1))) {
      r.base = x;
      r.image_step = s.x_n;
      r.channel_step = s.x_c;
      for (int k = 0; k < 3; ++k) {
        r.base += span[k].first * s.axis[k].x;
        r.place_step[k] = s.axis[k].stride * s.axis[k].x;
        r.tap_step[k] = s.axis[k].w_dilation * s.axis[k].x;
      }
      return r;
    }
  const i64 stride = s.axis[2].stride;
  r.interleaved = Lanes ? stride : 1;
  r.part = (span[2].length + r.interleaved - 1) / r.interleaved;
  const i64 line = r.part * r.interleaved, plane = line * span[1].length;
  r.base = copy;
  r.channel_step = plane * span[0].length;
  r.image_step = r.channel_step * channels;
  r.place_step[0] = s.axis[0].stride * plane;
  r.place_step[1] = s.axis[1].stride * line;
  r.place_step[2] = Lanes ? 1 : stride;
  r.tap_step[0] = s.axis[0].w_dilation * plane;
  r.tap_step[1] = s.axis[1].w_dilation * line;
  r.tap_step[2] = s.axis[2].w_dilation;
  const i64 x_w = s.axis[2].x;
  // the part of a line that lies inside x
  const i64 from =
      span[2].first < 0 ? (-span[2].first < span[2].length ? -span[2].first : span[2].length) : 0;
  i64 to = s.axis[2].in - span[2].first < span[2].length ? s.axis[2].in - span[2].first : span[2].length;
  if (to < from) to = from;
  S* out = copy;
  for (i64 n = 0; n < block.count[0]; ++n)
    for (i64 c = 0; c < channels; ++c)
      for (i64 d = 0; d < span[0].length; ++d)
        for (i64 h = 0; h < span[1].length; ++h, out += line) {
          const i64 at_d = span[0].first + d, at_h = span[1].first + h;
          const bool there = at_d >= 0 && at_d < s.axis[0].in && at_h >= 0 && at_h < s.axis[1].in;
          const TX* in =
              x + n * s.x_n + c * s.x_c + at_d * s.axis[0].x + at_h * s.axis[1].x + span[2].first * x_w;
          if (!there) {
            for (i64 i = 0; i < line; ++i) out[i] = S{};
          } else if (r.interleaved == 1) {
            for (i64 i = 0; i < from; ++i) out[i] = S{};
            if (x_w == 1)
              for (i64 i = from; i < to; ++i) out[i] = static_cast<S>(in[i]);
            else
              for (i64 i = from; i < to; ++i) out[i] = static_cast<S>(in[i * x_w]);
            for (i64 i = to; i < line; ++i) out[i] = S{};
          } else {
            for (i64 p = 0; p < r.interleaved; ++p)
              for (i64 q = 0; q < r.part; ++q) {
                const i64 i = q * r.interleaved + p;
                out[p * r.part + q] = i >= from && i < to ? static_cast<S>(in[i * x_w]) : S{};
              }
          }
        }
  return r;
}

}  // namespace weft::kernels
