#pragma once
// What a block of a convolution's result reads: x in place where its type fits and every tap lies inside,
// otherwise a copy with the padding in it. Either way place and tap give an element by adding two offsets.

#include <cstddef>
#include <type_traits>

#include "weft/kernels/conv/shape.hpp"
#include "weft/kernels/gemm/blocked.hpp"
#include "weft/kernels/gemm/packing.hpp"

namespace WEFT_NAMESPACE::kernels {

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

// Which neighbours must be neighbours in memory: none, places of the last axis, or taps of it.
enum class ConvNear { none, places, taps };

// Element (image, place, channel, tap) lies at base + image * image_step + channel * channel_step + place() +
// tap() of each axis; all counted from the block's and the channels' first. Of ConvNear::none and
// ::places, place() is a multiple of place_step.
template <class S>
struct ConvSource {
  const S* base = nullptr;
  i64 image_step = 0, channel_step = 0;
  i64 place_step[3]{}, tap_step[3]{};
  i64 interleaved = 1, part = 0;  // the last axis lies as `interleaved` parts, place after place

  i64 tap(int axis, i64 k) const { return along(axis, k * tap_step[axis]); }
  i64 place(int axis, i64 k) const { return along(axis, k * place_step[axis]); }

 private:
  i64 along(int axis, i64 at) const {
    return axis < 2 || interleaved == 1 ? at : at % interleaved * part + at / interleaved;
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
    const i64 apart = s.axis[2].stride > s.axis[2].w_dilation ? s.axis[2].stride : s.axis[2].w_dilation;
    size *= k < 2 ? length : length + apart - 1;
  }
  return size + 4 * dot_lanes<S>;
}

// out[0, n), every second element of `in`; reads no further than the last one's neighbour.
template <class S>
void conv_every_second(const S* in, i64 n, S* out) {
  i64 q = 0;
  if constexpr (std::is_same_v<S, f32>) {
#if defined(__AVX512F__)
    for (; q < n; q += 16) {
      const i64 left = 2 * (n - q) - 1;
      const DotVector<f32>::type low = dot_load_first<f32>(in + 2 * q, left < 16 ? left : 16),
                                 high = dot_load_first<f32>(in + 2 * q + 16, left < 16   ? 0
                                                                             : left < 32 ? left - 16
                                                                                         : 16);
      dot_store_first<f32>(
          out + q,
          __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
          n - q < 16 ? n - q : 16);
    }
#endif
    for (; q + 4 <= n - 1; q += 4) {
      DotQuad low, high;
      __builtin_memcpy(&low, in + 2 * q, sizeof low);
      __builtin_memcpy(&high, in + 2 * q + 4, sizeof high);
      const DotQuad even = __builtin_shufflevector(low, high, 0, 2, 4, 6);
      __builtin_memcpy(out + q, &even, sizeof even);
    }
  }
  for (; q < n; ++q) out[q] = in[2 * q];
}

// One line of x with the padding in it, `line` elements, of which [from, to) are x's.
template <class TX, class S>
void conv_copy_line(const TX* in, i64 step, i64 from, i64 to, i64 line, S* out) {
  for (i64 i = 0; i < from; ++i) out[i] = S{};
  if (step != 1) {
    for (i64 i = from; i < to; ++i) out[i] = static_cast<S>(in[i * step]);
  } else if constexpr (std::is_same_v<TX, S>) {
    if (to > from) __builtin_memcpy(out + from, in + from, static_cast<std::size_t>(to - from) * sizeof(S));
  } else {
    for (i64 i = from; i < to; ++i) out[i] = static_cast<S>(in[i]);
  }
  for (i64 i = to; i < line; ++i) out[i] = S{};
}
// Elements of a line, or of each of the parts that take them in turn.
struct ConvParts {
  i64 parts = 1, whole = 0, rest = 0;
  constexpr ConvParts(i64 count, i64 elements)
      : parts(count), whole(elements / count), rest(elements % count) {}
  constexpr i64 of(i64 part) const { return whole + (part < rest ? 1 : 0); }
};

// The same as parts: element q * parts + p is element q of part p, and parts are `part` elements.
template <class TX, class S>
void conv_split_line(const TX* in, i64 step, const ConvParts& from, const ConvParts& to, i64 part, S* out) {
  const i64 apart = from.parts * step;
  for (i64 p = 0; p < from.parts; ++p, in += step, out += part) {
    const i64 first = from.of(p), end = to.of(p);
    for (i64 q = 0; q < first; ++q) out[q] = S{};
    for (i64 q = end; q < part; ++q) out[q] = S{};
    if constexpr (std::is_same_v<TX, S>)
      if (apart == 2) {
        conv_every_second(in + first * 2, end - first, out + first);
        continue;
      }
    for (i64 q = first; q < end; ++q) out[q] = static_cast<S>(in[q * apart]);
  }
}

// `x`: the group's.
template <ConvNear Near, class TX, class S>
ConvSource<S> conv_source(const ConvShape& s, const ConvBlock& block, i64 channel, i64 channels, const TX* x,
                          S* copy) {
  ConvSource<S> r;
  // how far apart what must be near is in x
  const i64 apart = Near == ConvNear::places ? s.axis[2].stride
                    : Near == ConvNear::taps ? s.axis[2].w_dilation
                                             : 1;
  ConvSpan span[3];
  bool inside = true;
  for (int k = 0; k < 3; ++k) {
    span[k] = conv_span(s.axis[k], block.begin[k + 1], block.count[k + 1]);
    inside = inside && span[k].first >= 0 && span[k].first + span[k].length <= s.axis[k].in;
  }
  x += block.begin[0] * s.x_n + channel * s.x_c;
  if constexpr (std::is_same_v<TX, S>)
    if (inside && (Near == ConvNear::none || (dot_masks<S> && s.axis[2].x == 1 && apart == 1))) {
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
  r.interleaved = apart;
  r.part = (span[2].length + r.interleaved - 1) / r.interleaved;
  const i64 line = r.part * r.interleaved, plane = line * span[1].length;
  r.base = copy;
  r.channel_step = plane * span[0].length;
  r.image_step = r.channel_step * channels;
  r.place_step[0] = s.axis[0].stride * plane;
  r.place_step[1] = s.axis[1].stride * line;
  r.place_step[2] = s.axis[2].stride;
  r.tap_step[0] = s.axis[0].w_dilation * plane;
  r.tap_step[1] = s.axis[1].w_dilation * line;
  r.tap_step[2] = s.axis[2].w_dilation;
  const i64 x_w = s.axis[2].x;
  // the part of a line that lies inside x
  const i64 from =
      span[2].first < 0 ? (-span[2].first < span[2].length ? -span[2].first : span[2].length) : 0;
  i64 to = s.axis[2].in - span[2].first < span[2].length ? s.axis[2].in - span[2].first : span[2].length;
  if (to < from) to = from;
  const ConvParts from_part(apart, from), to_part(apart, to);
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
          } else if (apart == 1) {
            conv_copy_line(in, x_w, from, to, line, out);
          } else {
            conv_split_line(in, x_w, from_part, to_part, r.part, out);
          }
        }
  return r;
}

}  // namespace WEFT_NAMESPACE::kernels
