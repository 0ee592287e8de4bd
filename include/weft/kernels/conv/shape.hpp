#pragma once
// A convolution over strided memory, as a program's image spells it, and its phases: a convolution of a
// dilated operand is one convolution without gaps for every residue of the result's places. Nothing here
// computes.

#include "weft/core/config.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::kernels {

// One spatial axis: result p and tap k meet at x's place (p stride + k w_dilation - low) / x_dilation, which
// counts where it is whole and in [0, in). x, w, y: elements between neighbours.
struct ConvAxis {
  i64 in = 1, window = 1, out = 1;
  i64 stride = 1, low = 0, x_dilation = 1, w_dilation = 1;
  i64 x = 0, w = 0, y = 0;
};

// y[g, n, o, p] = sum over c and k of x[g, n, c, ...] w[g, o, c, k]. Missing axes come first, with extent 1.
struct ConvShape {
  i64 groups = 1, batch = 1, channels = 1, outputs = 1;
  i64 x_g = 0, x_n = 0, x_c = 0, w_g = 0, w_o = 0, w_c = 0, y_g = 0, y_n = 0, y_o = 0;
  ConvAxis axis[3]{};

  WEFT_HD constexpr i64 places() const { return axis[0].out * axis[1].out * axis[2].out; }
  WEFT_HD constexpr i64 taps() const { return axis[0].window * axis[1].window * axis[2].window; }
};

// The last word of a convolution's kernel: whether factors of f32 may be rounded to tf32.
inline constexpr u64 conv_is_tf32 = 1;

// Numbers: groups, batch, channels, outputs, three strides of x, of w and of y, then each axis's, in the
// order of the members.
constexpr ConvShape conv_call(const u64* numbers) {
  const auto number = [&](int i) { return static_cast<i64>(numbers[i]); };
  ConvShape s{number(0), number(1), number(2), number(3),  number(4),  number(5), number(6),
              number(7), number(8), number(9), number(10), number(11), number(12)};
  for (int k = 0, n = 13; k < 3; ++k, n += 10)
    s.axis[k] = {number(n),     number(n + 1), number(n + 2), number(n + 3), number(n + 4),
                 number(n + 5), number(n + 6), number(n + 7), number(n + 8), number(n + 9)};
  return s;
}

constexpr i64 conv_gcd(i64 a, i64 b) {
  while (b != 0) {
    const i64 r = a % b;
    a = b;
    b = r;
  }
  return a;
}

// How many residues of an axis's places meet different taps.
constexpr i64 conv_phases(const ConvAxis& a) { return a.x_dilation / conv_gcd(a.stride, a.x_dilation); }
constexpr i64 conv_phases(const ConvShape& s) {
  return conv_phases(s.axis[0]) * conv_phases(s.axis[1]) * conv_phases(s.axis[2]);
}

// One phase of a convolution: without dilation of x, and where its w and y begin. No taps: all zeros.
struct ConvPhase {
  ConvShape shape;
  i64 w_at = 0, y_at = 0;
};

constexpr ConvPhase conv_phase(const ConvShape& s, i64 number) {
  ConvPhase r;
  r.shape = s;
  for (int k = 2; k >= 0; --k) {
    const ConvAxis& a = s.axis[k];
    ConvAxis& b = r.shape.axis[k];
    const i64 phases = conv_phases(a), step = a.x_dilation / conv_gcd(a.w_dilation, a.x_dilation);
    const i64 residue = number % phases;
    number /= phases;
    i64 first = 0;
    while (first < step && (residue * a.stride + first * a.w_dilation - a.low) % a.x_dilation != 0) ++first;
    b.out = residue < a.out ? (a.out - residue + phases - 1) / phases : 0;
    b.window = first < step && first < a.window ? (a.window - first + step - 1) / step : 0;
    b.stride = phases * a.stride / a.x_dilation;
    b.low = (a.low - residue * a.stride - first * a.w_dilation) / a.x_dilation;
    b.w_dilation = step * a.w_dilation / a.x_dilation;
    b.x_dilation = 1;
    b.w = a.w * step;
    b.y = a.y * phases;
    r.w_at += first * a.w;
    r.y_at += residue * a.y;
  }
  return r;
}

}  // namespace WEFT_NAMESPACE::kernels
