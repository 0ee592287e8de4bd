#pragma once
// The convolution as one product of matrices on tensor cores: its operands with the channels innermost, as a
// kernel copies them, and how the product is cut. Rows are outputs, columns are places of all images, and the
// products of a sum are in the order of taps, then channels. Law: a function of the shape alone.

#include "weft/core/dtype.hpp"
#include "weft/kernels/conv/block.hpp"

namespace WEFT_NAMESPACE::kernels {

// Whether tensor cores multiply such factors: 16-bit ones, and f32 that may be rounded to tf32.
constexpr bool conv_has_mma(DType x, DType w, DType y, bool tf32) {
  if (x != w || (y != x && y != DType::f32)) return false;
  return x == DType::bf16 || x == DType::f16 || (x == DType::f32 && tf32);
}
// Elements that move at once, and that channels are rounded up to.
constexpr i64 conv_chunk(i64 element_size) { return 16 / element_size; }

// The same convolution over packed operands: x (groups, batch, in..., channels), w (groups, outputs,
// window..., channels), whose channels are rounded up to chunks.
constexpr ConvShape conv_packed(const ConvShape& s, i64 element_size) {
  ConvShape p = s;
  const i64 chunk = conv_chunk(element_size);
  p.channels = (s.channels + chunk - 1) / chunk * chunk;
  i64 x = p.channels, w = p.channels;
  p.x_c = p.w_c = 1;
  for (int k = 2; k >= 0; --k) {
    p.axis[k].x = x;
    p.axis[k].w = w;
    x *= s.axis[k].in;
    w *= s.axis[k].window;
  }
  p.x_n = x;
  p.w_o = w;
  p.x_g = x * s.batch;
  p.w_g = w * s.outputs;
  return p;
}

// Whether a convolution goes to tensor cores: not with few outputs, nor where the kernel's 32-bit numbers do
// not reach.
constexpr bool conv_uses_mma(const ConvShape& s, i64 element_size) {
  constexpr i64 most = 2147483647;
  const ConvShape packed = conv_packed(s, element_size);
  const i64 chunk = conv_chunk(element_size);
  return s.outputs >= conv_least_outputs && s.places() < most && packed.groups * packed.x_g / chunk < most &&
         packed.taps() * (packed.channels / chunk) < most;
}

// One operand as the kernel that packs it sees it: (leads, elements, channels) -> (leads, elements,
// `padded`), where an element is a place of the spatial axes.
struct ConvPack {
  i64 lead[2]{}, lead_step[2]{};      // groups, then images or outputs
  i64 extent[3]{1, 1, 1}, step[3]{};  // of the spatial axes
  i64 channels = 0, channel_step = 0, padded = 0;
  i32 element_bits = 0, channel_bits = 0;  // of the extents of a block's tile, powers of two
  WEFT_HD constexpr i64 elements() const { return extent[0] * extent[1] * extent[2]; }
  WEFT_HD constexpr i64 element_tiles() const {
    return (elements() + (1 << element_bits) - 1) >> element_bits;
  }
  WEFT_HD constexpr i64 channel_tiles() const { return (padded + (1 << channel_bits) - 1) >> channel_bits; }
  constexpr i64 blocks() const { return lead[0] * lead[1] * element_tiles() * channel_tiles(); }
};
inline constexpr int conv_pack_threads = 256, conv_pack_tile = 4096, conv_pack_elements = 64;

// Of the kernel's tile: words from a row of channels to the next, so that what 32 lanes read along the
// channels, then along the elements, is in a bank of its own each; and words in all.
WEFT_HD constexpr int conv_pack_pitch(const ConvPack& p, i64 element_size) {
  const int elements = 1 << p.element_bits, rows = (1 << p.channel_bits) * static_cast<int>(element_size) / 4;
  return rows < 32 ? elements + ((32 / rows - elements) & 31) : elements | 1;
}
constexpr int conv_pack_words(const ConvPack& p, i64 element_size) {
  return conv_pack_pitch(p, element_size) * (1 << p.channel_bits) * static_cast<int>(element_size) / 4;
}
// x, and w, of a convolution.
constexpr ConvPack conv_pack(const ConvShape& s, const ConvShape& packed, bool is_x) {
  ConvPack p;
  p.lead[0] = s.groups, p.lead_step[0] = is_x ? s.x_g : s.w_g;
  p.lead[1] = is_x ? s.batch : s.outputs, p.lead_step[1] = is_x ? s.x_n : s.w_o;
  for (int k = 0; k < 3; ++k) {
    const ConvAxis& a = s.axis[k];
    p.extent[k] = is_x ? a.in : a.window, p.step[k] = is_x ? a.x : a.w;
  }
  p.channels = s.channels, p.channel_step = is_x ? s.x_c : s.w_c, p.padded = packed.channels;
  while (1 << p.element_bits < p.elements() && 1 << p.element_bits < conv_pack_elements) ++p.element_bits;
  while (1 << p.channel_bits < p.padded && 1 << (p.element_bits + p.channel_bits) < conv_pack_tile &&
         1 << p.channel_bits < conv_pack_threads)
    ++p.channel_bits;
  return p;
}
constexpr ConvPack conv_pack_x(const ConvShape& s, const ConvShape& packed) {
  return conv_pack(s, packed, true);
}
constexpr ConvPack conv_pack_w(const ConvShape& s, const ConvShape& packed) {
  return conv_pack(s, packed, false);
}

// A block's tile, and the chunks of a row that it has of each operand at a time.
inline constexpr int conv_mma_outputs = 64, conv_mma_places = 128, conv_mma_chunks = 4;
inline constexpr int conv_mma_threads = 128, conv_mma_stages = 4;

// How a phase over packed operands is cut into blocks: as conv_blocks, with parts of `steps` times
// conv_mma_chunks chunks.
constexpr ConvBlocks conv_mma_blocks(const ConvShape& packed, i64 element_size) {
  ConvBlocks b;
  const auto ceil = [](i64 x, i64 y) { return (x + y - 1) / y; };
  const i64 places = packed.batch * packed.places();
  b.tiled = true;
  b.results = packed.groups * packed.outputs * places;
  if (b.results <= 0) return b;
  b.output_tiles = ceil(packed.outputs, conv_mma_outputs);
  b.place_tiles = ceil(places, conv_mma_places);
  b.tiles = packed.groups * b.output_tiles * b.place_tiles;
  const i64 chunks = packed.taps() * (packed.channels / conv_chunk(element_size));
  const i64 steps = ceil(chunks, conv_mma_chunks);
  b.steps = steps > 0 ? steps : 1;
  // enough blocks for a large GPU, as long as a part's sums are worth adding up
  const i64 worth = steps / 16, wanted = ceil(512, b.tiles);
  if (b.tiles < 256 && worth > 1) {
    b.steps = ceil(steps, wanted < worth ? wanted : worth);
    b.parts = ceil(steps, b.steps);
  }
  return b;
}

// How a thread of the product goes through the chunks of a sum, along the channels of a tap, then along the
// taps of the window; and where the windows are.
struct ConvMmaWalk {
  i64 x_next[3]{}, w_next[3]{};       // what is added to a place in each operand where an axis ends
  i64 w_rows = 0;                     // from an output to the next that a thread copies
  i32 all_chunks = 0, chunks = 0;     // of a sum, of a tap
  i32 apart[3]{}, end[3]{};           // along an axis: between taps, behind the last
  u32 in[3]{}, out[3]{}, places = 0;  // places of x, and of the result
  i32 stride[3]{}, low[3]{};
  i32 x[3]{}, images = 0;  // chunks of x between neighbours
};
constexpr ConvMmaWalk conv_mma_walk(const ConvShape& packed, i64 element_size) {
  ConvMmaWalk r;
  const i64 chunk = conv_chunk(element_size);
  r.chunks = static_cast<i32>(packed.channels / chunk);
  r.all_chunks = static_cast<i32>(packed.taps() * r.chunks);
  r.w_rows = conv_mma_threads / conv_mma_chunks * packed.w_o;
  r.images = static_cast<i32>(packed.x_n / chunk);
  r.places = static_cast<u32>(packed.places());
  i64 x = packed.channels, w = packed.channels;  // what the axis inside has gone
  for (int k = 2; k >= 0; --k) {
    const ConvAxis& a = packed.axis[k];
    r.apart[k] = static_cast<i32>(a.w_dilation);
    r.end[k] = static_cast<i32>(a.window * a.w_dilation);
    r.in[k] = static_cast<u32>(a.in);
    r.stride[k] = static_cast<i32>(a.stride), r.low[k] = static_cast<i32>(a.low);
    r.x[k] = static_cast<i32>(a.x / chunk), r.out[k] = static_cast<u32>(a.out);
    r.x_next[k] = a.w_dilation * a.x - x;
    r.w_next[k] = a.w - w;
    x = a.window * a.w_dilation * a.x;
    w = a.window * a.w;
  }
  return r;
}

// Where what a convolution needs besides its operands lies in the memory that it is given, in bytes.
struct ConvMmaMemory {
  i64 x = 0, w = 0, partial = 0, size = 0;
};
constexpr ConvMmaMemory conv_mma_memory(const ConvShape& s, i64 element_size) {
  ConvMmaMemory m;
  const auto aligned = [](i64 bytes) { return (bytes + 255) / 256 * 256; };
  const ConvShape packed = conv_packed(s, element_size);
  m.w = m.x + aligned(packed.groups * packed.x_g * element_size);
  m.partial = m.w + aligned(packed.groups * packed.w_g * element_size);
  m.size = m.partial + conv_partial_bytes(packed, 4, [element_size](const ConvShape& phase) {
             return conv_mma_blocks(phase, element_size);
           });
  return m;
}

// Bytes that a convolution of such operands wants beside them, on GPUs with tensor cores and without.
constexpr i64 conv_scratch_bytes(const ConvShape& s, DType x, DType w, DType y, bool tf32) {
  const i64 sum_size = x == DType::f64 ? 8 : 4;
  const i64 plain = conv_partial_bytes(s, sum_size);
  if (!conv_has_mma(x, w, y, tf32)) return plain;
  const i64 other =
      conv_uses_mma(s, size_of(x))
          ? conv_mma_memory(s, size_of(x)).size
          : conv_partial_bytes(s, sum_size, [](const ConvShape& phase) { return conv_blocks(phase, false); });
  return other < plain ? plain : other;
}

}  // namespace WEFT_NAMESPACE::kernels
