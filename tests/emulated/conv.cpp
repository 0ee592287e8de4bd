#include "emulated/conv.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "weft/kernels/conv/host.hpp"

using namespace weft;
using namespace weft::kernels;

namespace {

template <class T>
std::vector<T> some_values(i64 count, u32 state) {
  std::vector<T> v(static_cast<std::size_t>(count));
  for (T& x : v) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<T>(static_cast<f32>(static_cast<i32>(state >> 20) - 2048) / 1024);
  }
  return v;
}

// Dense x (N, G, C, ...), w (G, O, C, ...), y (N, G, O, ...).
void lay(ConvShape& s, i64& x, i64& w, i64& y) {
  x = w = y = 1;
  for (int k = 2; k >= 0; --k) {
    ConvAxis& a = s.axis[k];
    const i64 room = a.x_dilation * (a.in - 1) + 1 + 2 * a.low - a.w_dilation * (a.window - 1) - 1;
    a.out = room / a.stride + 1;
    a.x = x, a.w = w, a.y = y;
    x *= a.in, w *= a.window, y *= a.out;
  }
  s.x_c = x, s.w_c = w, s.y_o = y;
  s.x_g = x *= s.channels, s.w_o = w *= s.channels, s.y_g = y *= s.outputs;
  s.x_n = x *= s.groups, s.w_g = w *= s.outputs, s.y_n = y *= s.groups;
  x *= s.batch, w *= s.groups, y *= s.batch;
}

// Against the host's kernel, which kernels/conv/host.cpp holds against the definition.
template <class T, class Y>
void check_conv(ConvShape s, bool tiled, bool parts, f64 tolerance) {
  i64 x_size = 0, w_size = 0, y_size = 0;
  lay(s, x_size, w_size, y_size);
  const std::vector<T> x = some_values<T>(x_size, 1), w = some_values<T>(w_size, 2);
  std::vector<Y> wanted(static_cast<std::size_t>(y_size)), got(wanted.size(), static_cast<Y>(99.0f));
  conv<T, T, Y>(s, x.data(), w.data(), wanted.data(), 1);
  std::vector<char> partial(static_cast<std::size_t>(conv_partial_bytes(s, sizeof(DotSum<T>))), char(-1));
  const ConvBlockArgs from{{}, {}, x.data(), w.data(), got.data(), partial.data()};
  for (u64 seed = 1; seed < 3; ++seed)
    for_each_conv_phase<T, Y>(
        s, from, [](const ConvShape& phase) { return conv_blocks(phase); },
        [&](const ConvBlockArgs& args) {
          CHECK(args.cut.tiled == tiled);
          CHECK((args.cut.parts > 1) == parts);
          emulated::emulate_conv<T, T, Y>(args, seed);
        });
  f64 scale = 1;
  int wrong = 0;
  for (const Y& v : wanted) scale = std::fmax(scale, std::fabs(static_cast<f64>(static_cast<f32>(v))));
  for (std::size_t i = 0; i < got.size(); ++i)
    wrong += !(std::fabs(static_cast<f64>(static_cast<f32>(got[i])) -
                         static_cast<f64>(static_cast<f32>(wanted[i]))) <= tolerance * scale);
  CHECK(wrong == 0);
}

ConvShape shape(i64 groups, i64 batch, i64 channels, i64 outputs) {
  ConvShape s;
  s.groups = groups, s.batch = batch, s.channels = channels, s.outputs = outputs;
  return s;
}

}  // namespace

TEST_CASE("conv blocks: tiles, in any order of threads, follow the host") {
  ConvShape s = shape(2, 3, 3, 70);
  s.axis[1] = {7, 3, 0, 1, 1, 1, 1};
  s.axis[2] = {9, 2, 0, 2, 1, 1, 2};
  check_conv<f32, f32>(s, true, false, 1e-6);
  check_conv<bf16, bf16>(s, true, false, 8e-3);
  check_conv<f16, f32>(s, true, false, 1e-6);
  s.axis[0] = {3, 2, 0, 1, 1, 1, 1};
  s.outputs = 9;
  check_conv<f64, f64>(s, true, false, 1e-12);
}
TEST_CASE("conv blocks: long sums in parts") {
  ConvShape s = shape(1, 2, 40, 20);
  s.axis[1] = {10, 8, 0, 1, 0, 1, 1};
  s.axis[2] = {10, 8, 0, 1, 0, 1, 1};
  check_conv<f32, f32>(s, true, true, 1e-6);
  s.outputs = 2;
  check_conv<bf16, f32>(s, false, true, 1e-6);
}
TEST_CASE("conv blocks: one result a thread; phases of a dilated operand") {
  ConvShape s = shape(6, 2, 2, 1);
  s.axis[1] = {7, 3, 0, 2, 1, 1, 1};
  s.axis[2] = {9, 3, 0, 1, 2, 1, 2};
  check_conv<f32, f32>(s, false, false, 1e-6);
  s = shape(1, 2, 5, 12);
  s.axis[1] = {4, 3, 0, 1, 2, 2, 1};
  s.axis[2] = {5, 2, 0, 2, 1, 3, 1};
  check_conv<f32, f32>(s, true, false, 1e-6);
}
