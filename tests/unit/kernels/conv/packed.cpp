// The convolution over packed operands is the convolution: its strides, its phases, and how a thread walks
// through its sums. What the kernels make of it: tests/cuda/conv.cu.
#include "weft/kernels/conv/packed.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace weft;
using namespace weft::kernels;

namespace {

// y's element at output o and place p of group g, image n: the sum as ConvShape defines it.
f64 result(const ConvShape& s, const f64* x, const f64* w, i64 g, i64 n, i64 o, const i64 (&p)[3]) {
  f64 sum = 0;
  i64 t[3];
  for (i64 c = 0; c < s.channels; ++c)
    for (t[0] = 0; t[0] < s.axis[0].window; ++t[0])
      for (t[1] = 0; t[1] < s.axis[1].window; ++t[1])
        for (t[2] = 0; t[2] < s.axis[2].window; ++t[2]) {
          i64 x_at = g * s.x_g + n * s.x_n + c * s.x_c, w_at = g * s.w_g + o * s.w_o + c * s.w_c;
          bool there = true;
          for (int k = 0; k < 3; ++k) {
            const ConvAxis& a = s.axis[k];
            const i64 at = p[k] * a.stride + t[k] * a.w_dilation - a.low;
            there = there && at >= 0 && at % a.x_dilation == 0 && at / a.x_dilation < a.in;
            x_at += at / a.x_dilation * a.x;
            w_at += t[k] * a.w;
          }
          if (there) sum += x[x_at] * w[w_at];
        }
  return sum;
}
// All of them, at y's strides.
void convolve(const ConvShape& s, const f64* x, const f64* w, f64* y) {
  i64 p[3];
  for (i64 g = 0; g < s.groups; ++g)
    for (i64 n = 0; n < s.batch; ++n)
      for (i64 o = 0; o < s.outputs; ++o)
        for (p[0] = 0; p[0] < s.axis[0].out; ++p[0])
          for (p[1] = 0; p[1] < s.axis[1].out; ++p[1])
            for (p[2] = 0; p[2] < s.axis[2].out; ++p[2])
              y[g * s.y_g + n * s.y_n + o * s.y_o + p[0] * s.axis[0].y + p[1] * s.axis[1].y +
                p[2] * s.axis[2].y] = result(s, x, w, g, n, o, p);
}
// As the kernel packs an operand, block by block.
void pack(const ConvPack& p, const f64* from, f64* to) {
  const i64 elements = i64{1} << p.element_bits, channels = i64{1} << p.channel_bits;
  for (i64 block = 0; block < p.blocks(); ++block) {
    const i64 c0 = block % p.channel_tiles() * channels,
              e0 = block / p.channel_tiles() % p.element_tiles() * elements,
              lead = block / p.channel_tiles() / p.element_tiles();
    for (i64 e = e0; e < e0 + elements && e < p.elements(); ++e)
      for (i64 c = c0; c < c0 + channels && c < p.padded; ++c) {
        i64 at = lead / p.lead[1] * p.lead_step[0] + lead % p.lead[1] * p.lead_step[1] + c * p.channel_step;
        i64 rest = e;
        for (int k = 2; k >= 0; --k, rest /= p.extent[k + 1]) at += rest % p.extent[k] * p.step[k];
        to[(lead * p.elements() + e) * p.padded + c] = c < p.channels ? from[at] : 0;
      }
  }
}

// Two spatial axes, contiguous operands and result (groups, batch or outputs, channels, ...).
ConvShape shape(i64 groups, i64 batch, i64 channels, i64 outputs, const ConvAxis& h, const ConvAxis& w) {
  ConvShape s;
  s.groups = groups, s.batch = batch, s.channels = channels, s.outputs = outputs;
  s.axis[1] = h, s.axis[2] = w;
  for (int k = 1; k < 3; ++k) {
    ConvAxis& a = s.axis[k];
    const i64 wide = a.x_dilation * (a.in - 1) + 1 + 2 * a.low - a.w_dilation * (a.window - 1) - 1;
    a.out = wide / a.stride + 1;
  }
  s.axis[2].x = s.axis[2].w = s.axis[2].y = 1;
  s.axis[1].x = s.axis[2].in, s.axis[1].w = s.axis[2].window, s.axis[1].y = s.axis[2].out;
  s.x_c = s.axis[1].in * s.axis[2].in, s.w_c = s.axis[1].window * s.axis[2].window;
  s.y_o = s.axis[1].out * s.axis[2].out;
  s.x_n = s.x_c * channels, s.w_o = s.w_c * channels, s.y_n = s.y_o * outputs;
  s.x_g = s.x_n * batch, s.w_g = s.w_o * outputs, s.y_g = s.y_n * batch;
  return s;
}
ConvAxis axis(i64 in, i64 window, i64 stride, i64 low, i64 x_dilation = 1, i64 w_dilation = 1) {
  return {in, window, 1, stride, low, x_dilation, w_dilation};
}
std::vector<f64> numbers(i64 count) {
  std::vector<f64> x(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<f64>(i * 7 % 23) - 11;
  return x;
}

const ConvShape shapes[]{
    shape(1, 3, 5, 9, axis(7, 3, 1, 1), axis(6, 3, 1, 1)),
    shape(2, 2, 12, 8, axis(9, 3, 2, 1), axis(8, 2, 1, 0, 1, 2)),
    shape(1, 2, 20, 8, axis(5, 4, 1, 2, 2), axis(4, 3, 1, 1, 3)),  // a gradient of strides: phases
    shape(1, 40, 1, 10, axis(1, 1, 1, 0), axis(11, 3, 2, 0)),
};

}  // namespace

TEST_CASE("packed: the phases of a convolution over packed operands give its results") {
  for (const ConvShape& s : shapes)
    for (const i64 size : {2, 4}) {
      const auto x = numbers(s.groups * s.x_g), w = numbers(s.groups * s.w_g);
      std::vector<f64> wanted(static_cast<std::size_t>(s.groups * s.y_g)), got = wanted;
      convolve(s, x.data(), w.data(), wanted.data());
      const ConvShape p = conv_packed(s, size);
      CHECK(p.channels % conv_chunk(size) == 0);
      std::vector<f64> px(static_cast<std::size_t>(p.groups * p.x_g)),
          pw(static_cast<std::size_t>(p.groups * p.w_g));
      pack(conv_pack_x(s, p), x.data(), px.data());
      pack(conv_pack_w(s, p), w.data(), pw.data());
      for (i64 k = 0; k < conv_phases(p); ++k) {
        const ConvPhase phase = conv_phase(p, k);
        convolve(phase.shape, px.data(), pw.data() + phase.w_at, got.data() + phase.y_at);
      }
      CHECK(got == wanted);
    }
}

TEST_CASE("packed: a thread's walk meets every chunk of a sum where the strides say it is") {
  for (const ConvShape& s : shapes) {
    const ConvShape packed = conv_packed(s, 2);
    for (i64 k = 0; k < conv_phases(packed); ++k) {
      const ConvShape p = conv_phase(packed, k).shape;
      const ConvMmaWalk walk = conv_mma_walk(p, 2);
      CHECK(walk.all_chunks == p.taps() * (p.channels / 8));
      i64 x = 0, w = 0, chunk = 0;
      i32 by[3]{};
      for (i64 at = 0; at < walk.all_chunks; ++at) {
        i64 tap = at / walk.chunks, x_at = at % walk.chunks * 8, w_at = x_at;
        for (int a = 2; a >= 0; --a) {
          const i64 t = tap % p.axis[a].window;
          tap /= p.axis[a].window;
          CHECK(by[a] == t * p.axis[a].w_dilation);
          x_at += t * p.axis[a].w_dilation * p.axis[a].x;
          w_at += t * p.axis[a].w;
        }
        CHECK(x == x_at);
        CHECK(w == w_at);
        ++chunk, x += 8, w += 8;
        if (chunk < walk.chunks) continue;
        chunk = 0;
        for (int a = 2; a >= 0; --a) {
          x += walk.x_next[a], w += walk.w_next[a], by[a] += walk.apart[a];
          if (a == 0 || by[a] < walk.end[a]) break;
          by[a] = 0;
        }
      }
    }
  }
}

TEST_CASE("packed: parts cover the steps of a sum, and what they need is in the scratch memory") {
  const ConvShape long_sums = shape(1, 64, 64, 32, axis(28, 28, 1, 1), axis(28, 28, 1, 1));
  const ConvBlocks cut = conv_mma_blocks(conv_packed(long_sums, 2), 2);
  CHECK(cut.parts > 1);
  CHECK(cut.parts * cut.steps * conv_mma_chunks >= 28 * 28 * 8);
  CHECK((cut.parts - 1) * cut.steps * conv_mma_chunks < 28 * 28 * 8);
  const ConvMmaMemory memory = conv_mma_memory(long_sums, 2);
  CHECK(memory.w % 256 == 0);
  CHECK(memory.partial % 256 == 0);
  CHECK(memory.size == memory.partial + cut.parts * cut.results * 4);
  CHECK(conv_scratch_bytes(long_sums, DType::bf16, DType::bf16, DType::f32, false) >= memory.size);
  // without tensor cores there is nothing to pack
  CHECK(conv_scratch_bytes(long_sums, DType::f32, DType::f32, DType::f32, false) ==
        conv_partial_bytes(long_sums, 4));
  CHECK(conv_scratch_bytes(long_sums, DType::f32, DType::f32, DType::f32, true) > memory.partial);
  // what 32-bit numbers do not reach is summed one result a thread, whose parts have room, too
  ConvShape far = long_sums;
  far.axis[0].window = i64{1} << 24;
  CHECK(!conv_uses_mma(far, 2));
  const ConvBlocks direct = conv_blocks(far, false);
  CHECK(direct.parts > 1);
  CHECK(conv_scratch_bytes(far, DType::bf16, DType::bf16, DType::f32, false) >=
        direct.parts * direct.results * 4);
  const ConvShape enough = shape(1, 64, 64, 64, axis(56, 3, 1, 1), axis(56, 3, 1, 1));
  CHECK(conv_mma_blocks(conv_packed(enough, 2), 2).parts == 1);
}

TEST_CASE("packed: a tile of the kernel that packs fits its shared memory") {
  for (const i64 size : {2, 4})
    for (i64 elements = 1; elements < 200; elements = elements * 3 / 2 + 1)
      for (i64 channels = 1; channels < 3000; channels = channels * 5 / 4 + 1) {
        const ConvShape s = shape(1, 1, channels, 8, axis(1, 1, 1, 0), axis(elements, 1, 1, 0));
        const ConvPack p = conv_pack_x(s, conv_packed(s, size));
        CHECK(conv_pack_words(p, size) <= conv_pack_tile / (4 / size) * 5 / 4);
        CHECK(p.padded >= channels);
      }
}
