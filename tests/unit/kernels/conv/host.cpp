#include "weft/kernels/conv/host.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "weft/core/dtype.hpp"

using namespace weft;
using namespace weft::kernels;

namespace {

// The definition, in f64.
template <class TX, class TW>
std::vector<f64> reference(const ConvShape& s, const std::vector<TX>& x, i64 x_at, const std::vector<TW>& w,
                           i64 w_at, std::size_t size) {
  std::vector<f64> y(size, -1e30);
  i64 p[3], t[3];
  for (i64 g = 0; g < s.groups; ++g)
    for (i64 n = 0; n < s.batch; ++n)
      for (i64 o = 0; o < s.outputs; ++o)
        for (p[0] = 0; p[0] < s.axis[0].out; ++p[0])
          for (p[1] = 0; p[1] < s.axis[1].out; ++p[1])
            for (p[2] = 0; p[2] < s.axis[2].out; ++p[2]) {
              f64 sum = 0;
              for (i64 c = 0; c < s.channels; ++c)
                for (t[0] = 0; t[0] < s.axis[0].window; ++t[0])
                  for (t[1] = 0; t[1] < s.axis[1].window; ++t[1])
                    for (t[2] = 0; t[2] < s.axis[2].window; ++t[2]) {
                      i64 from = x_at + g * s.x_g + n * s.x_n + c * s.x_c,
                          with = w_at + g * s.w_g + o * s.w_o + c * s.w_c;
                      bool there = true;
                      for (int k = 0; k < 3; ++k) {
                        const ConvAxis& a = s.axis[k];
                        const i64 at = p[k] * a.stride + t[k] * a.w_dilation - a.low;
                        there = there && at >= 0 && at % a.x_dilation == 0 && at / a.x_dilation < a.in;
                        from += at / a.x_dilation * a.x;
                        with += t[k] * a.w;
                      }
                      if (there)
                        sum += static_cast<f64>(static_cast<f32>(x[static_cast<std::size_t>(from)])) *
                               static_cast<f64>(static_cast<f32>(w[static_cast<std::size_t>(with)]));
                    }
              i64 to = g * s.y_g + n * s.y_n + o * s.y_o;
              for (int k = 0; k < 3; ++k) to += p[k] * s.axis[k].y;
              y[static_cast<std::size_t>(to)] = sum;
            }
  return y;
}

struct Problem {
  ConvShape s;
  i64 x_size = 1, w_size = 1, y_size = 1, x_at = 0, w_at = 0;
};

// Dense operands with their axes in a given order, some of them turned round.
i64 lay(std::mt19937& random, const i64* extent, i64** stride, int axes, bool shuffle, i64& at) {
  std::vector<int> order;
  for (int k = 0; k < axes; ++k) order.push_back(k);
  if (shuffle) std::shuffle(order.begin(), order.end(), random);
  i64 size = 1;
  at = 0;
  for (int k = axes - 1; k >= 0; --k) {
    const std::size_t axis = static_cast<std::size_t>(order[static_cast<std::size_t>(k)]);
    *stride[axis] = size;
    if (shuffle && random() % 4 == 0) {
      at += size * (extent[axis] - 1);
      *stride[axis] = -size;
    }
    size *= extent[axis];
  }
  return size;
}

Problem make(std::mt19937& random, const i64 (&lead)[4], const i64 (&in)[3], const i64 (&window)[3],
             i64 stride, i64 low, i64 high, i64 x_dilation, i64 w_dilation, bool shuffle) {
  Problem p;
  ConvShape& s = p.s;
  s.groups = lead[0], s.batch = lead[1], s.channels = lead[2], s.outputs = lead[3];
  for (int k = 0; k < 3; ++k) {
    ConvAxis& a = s.axis[k];
    a.in = in[k], a.window = window[k];
    if (in[k] > 1 || window[k] > 1)
      a.stride = stride, a.low = low, a.x_dilation = x_dilation, a.w_dilation = w_dilation;
    else
      high = 0;
    const i64 room = a.x_dilation * (a.in - 1) + 1 + a.low + high - a.w_dilation * (a.window - 1) - 1;
    a.out = room < 0 ? 0 : room / a.stride + 1;
  }
  const i64 ex[]{s.groups, s.batch, s.channels, in[0], in[1], in[2]},
      ew[]{s.groups, s.outputs, s.channels, window[0], window[1], window[2]},
      ey[]{s.groups, s.batch, s.outputs, s.axis[0].out, s.axis[1].out, s.axis[2].out};
  i64* sx[]{&s.x_g, &s.x_n, &s.x_c, &s.axis[0].x, &s.axis[1].x, &s.axis[2].x};
  i64* sw[]{&s.w_g, &s.w_o, &s.w_c, &s.axis[0].w, &s.axis[1].w, &s.axis[2].w};
  i64* sy[]{&s.y_g, &s.y_n, &s.y_o, &s.axis[0].y, &s.axis[1].y, &s.axis[2].y};
  p.x_size = lay(random, ex, sx, 6, shuffle, p.x_at);
  p.w_size = lay(random, ew, sw, 6, shuffle, p.w_at);
  i64 zero = 0;
  if (random() % 2) {  // the batch before the groups
    const i64 ordered[]{ey[1], ey[0], ey[2], ey[3], ey[4], ey[5]};
    i64* strides[]{sy[1], sy[0], sy[2], sy[3], sy[4], sy[5]};
    p.y_size = lay(random, ordered, strides, 6, false, zero);
  } else {
    p.y_size = lay(random, ey, sy, 6, false, zero);
  }
  return p;
}

template <class TX, class TY>
void check(const Problem& p, double tolerance, unsigned seed = 1) {
  std::mt19937 random(seed);
  const auto fill = [&](auto& v, i64 size) {
    using T = typename std::remove_cvref_t<decltype(v)>::value_type;
    for (i64 i = 0; i < size; ++i)
      v.push_back(static_cast<T>(static_cast<f32>(static_cast<int>(random() % 401) - 200) / 128));
  };
  std::vector<TX> x, w;
  fill(x, p.x_size);
  fill(w, p.w_size);
  const TY untouched = static_cast<TY>(7.5f);
  std::vector<TY> y(static_cast<std::size_t>(p.y_size) + 32, untouched), other = y;
  conv<TX, TX, TY>(p.s, x.data() + p.x_at, w.data() + p.w_at, y.data(), 1);
  conv<TX, TX, TY>(p.s, x.data() + p.x_at, w.data() + p.w_at, other.data(), 2);
  const std::vector<f64> wanted = reference(p.s, x, p.x_at, w, p.w_at, static_cast<std::size_t>(p.y_size));
  f64 scale = 1;
  for (const f64 v : wanted) scale = std::fmax(scale, std::fabs(v));
  int wrong = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    wrong += !(std::fabs(static_cast<f64>(static_cast<f32>(y[i])) - wanted[i]) <= tolerance * scale);
  INFO("groups ", p.s.groups, " batch ", p.s.batch, " channels ", p.s.channels, " outputs ", p.s.outputs,
       " in ", p.s.axis[0].in, "x", p.s.axis[1].in, "x", p.s.axis[2].in, " window ", p.s.axis[0].window, "x",
       p.s.axis[1].window, "x", p.s.axis[2].window, " stride ", p.s.axis[2].stride, " low ", p.s.axis[2].low,
       " x_dilation ", p.s.axis[2].x_dilation, " w_dilation ", p.s.axis[2].w_dilation);
  CHECK(wrong == 0);
  CHECK(std::memcmp(y.data(), other.data(), y.size() * sizeof(TY)) == 0);
  bool kept = true;
  for (std::size_t i = wanted.size(); i < y.size(); ++i)
    kept = kept && static_cast<f32>(y[i]) == static_cast<f32>(untouched);
  CHECK(kept);
}

}  // namespace

TEST_CASE("conv kernel: random shapes, strides, padding, gaps and layouts") {
  std::mt19937 random(3);
  const auto pick = [&](i64 low, i64 high) {
    return low + static_cast<i64>(random() % static_cast<unsigned>(high - low + 1));
  };
  int checked = 0;
  for (int i = 0; i < 500; ++i) {
    const int spatial = 1 + static_cast<int>(random() % 3);
    i64 in[3]{1, 1, 1}, window[3]{1, 1, 1};
    for (int k = 3 - spatial; k < 3; ++k) in[k] = pick(1, spatial == 1 ? 60 : 9), window[k] = pick(1, 4);
    const i64 outputs[]{1, 2, 5, 11, 12, 16, 17, 40, 70};
    const i64 lead[4]{pick(1, 3), pick(1, 4), pick(1, 7), outputs[random() % 9]};
    const Problem p = make(random, lead, in, window, pick(1, 3), pick(-1, 3), pick(-1, 3),
                           random() % 2 ? 1 : pick(1, 3), random() % 2 ? 1 : pick(1, 3), random() % 2 == 0);
    if (p.y_size <= 0) continue;
    ++checked;
    switch (random() % 4) {
      case 0:
        check<f64, f64>(p, 1e-14);
        break;
      case 1:
        check<bf16, bf16>(p, 8e-3);
        break;
      case 2:
        check<f16, f32>(p, 1e-5);
        break;
      default:
        check<f32, f32>(p, 1e-5);
    }
  }
  CHECK(checked > 300);
}

TEST_CASE("conv kernel: larger shapes, cut into blocks and parts of the channels") {
  std::mt19937 random(4);
  struct Case {
    i64 lead[4], in[3], window[3], stride, low, high;
  };
  const Case cases[]{
      {{1, 5, 7, 130}, {1, 30, 33}, {1, 3, 3}, 1, 1, 1},     // several pieces of outputs
      {{1, 1, 40, 64}, {1, 9, 9}, {1, 5, 5}, 2, 2, 2},       // parts of the channels
      {{1, 6, 64, 32}, {1, 26, 26}, {1, 24, 24}, 1, 0, 0},   // many taps: the gradient of weights
      {{1, 1, 500, 20}, {1, 26, 26}, {1, 24, 24}, 1, 0, 0},  // the same of a first layer
      {{1, 2, 3, 3}, {1, 90, 70}, {1, 3, 3}, 1, 1, 1},       // lanes are places
      {{96, 2, 1, 1}, {1, 28, 28}, {1, 3, 3}, 2, 1, 1},      // depthwise
      {{20, 1, 8, 1}, {1, 28, 28}, {1, 26, 26}, 1, 0, 0},    // its weights' gradient
      {{1, 1, 2, 16}, {1, 1, 30000}, {1, 1, 9}, 1, 4, 4},    // one long line
      {{1, 1, 2, 1}, {1, 1, 30000}, {1, 1, 9}, 3, 4, 4},
  };
  for (const Case& c : cases) {
    check<f32, f32>(make(random, c.lead, c.in, c.window, c.stride, c.low, c.high, 1, 1, false), 1e-5);
    check<bf16, f32>(make(random, c.lead, c.in, c.window, c.stride, c.low, c.high, 1, 1, false), 1e-5);
  }
}

TEST_CASE("conv kernel: lines of taps longer than lines of places") {
  std::mt19937 random(5);
  const auto pick = [&](i64 low, i64 high) {
    return low + static_cast<i64>(random() % static_cast<unsigned>(high - low + 1));
  };
  int checked = 0;
  for (int i = 0; i < 150; ++i) {
    const int spatial = 1 + static_cast<int>(random() % 3);
    i64 in[3]{1, 1, 1}, window[3]{1, 1, 1};
    for (int k = 3 - spatial; k < 3; ++k) {
      window[k] = pick(1, k == 2 ? 40 : 3);
      in[k] = window[k] + pick(0, 2);
    }
    const i64 lead[4]{pick(1, 3), pick(1, 3), pick(1, 20), pick(1, 4)};
    const i64 dilation = random() % 2 ? 1 : pick(1, 3);
    if (dilation > 1) in[2] *= dilation;
    const Problem p = make(random, lead, in, window, pick(1, 3), pick(-1, 3), pick(-1, 3),
                           random() % 4 ? 1 : 2, dilation, random() % 3 == 0);
    if (p.y_size <= 0) continue;
    ++checked;
    if (random() % 3 == 0)
      check<bf16, bf16>(p, 8e-3);
    else if (random() % 2 == 0)
      check<f64, f64>(p, 1e-14);
    else
      check<f32, f32>(p, 1e-5);
  }
  CHECK(checked > 100);
  ConvShape gradient = make(random, {1, 1, 8, 1}, {1, 1, 28}, {1, 1, 28}, 1, 1, 1, 1, 1, false).s;
  CHECK(conv_plan<f32>(gradient).way == ConvWay::taps);
  CHECK(conv_plan<f32>(make(random, {1, 1, 8, 1}, {1, 1, 50}, {1, 1, 3}, 1, 1, 1, 1, 1, false).s).way ==
        ConvWay::places);
}

TEST_CASE("conv kernel: what no tap meets counts in no sum") {
  std::mt19937 random(6);
  const Problem p = make(random, {1, 1, 2, 1}, {1, 1, 50}, {1, 1, 20}, 30, 0, 0, 1, 1, false);
  REQUIRE(p.s.axis[2].out == 2);
  std::vector<f32> x(100, 1), w(40, 1), y(2);
  for (const std::size_t channel : {0u, 50u})
    for (std::size_t i = 20; i < 30; ++i) x[channel + i] = std::nanf("");
  conv<f32, f32, f32>(p.s, x.data(), w.data(), y.data(), 1);
  CHECK(y == std::vector<f32>{40, 40});
}
