#pragma once
// The convolution: one primitive that is closed under differentiation. Groups are an axis of their own, so
// that operands are ordinary views; both operands can be dilated, so that the gradients and transposed
// convolutions are convolutions too. After XLA's ConvGeneralDilated.

#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::ir {

// One spatial axis. The operand x is dilated (x_dilation - 1 zeros between its elements), then padded with
// `low` and `high` zeros (negative: cropped); the window w, dilated by w_dilation, stands at every stride-th
// place.
struct ConvAxis {
  i64 stride = 1, low = 0, high = 0, x_dilation = 1, w_dilation = 1;
};

struct ConvAxes {
  int spatial = 0;        // 1 to 3
  i64 order[3]{0, 1, 2};  // of the result's leading axes: 0 groups, 1 batch, 2 outputs
  ConvAxis axis[3];
};

constexpr int conv_attributes(int spatial) { return 3 + 5 * spatial; }

// How often the window fits.
constexpr i64 conv_extent(i64 x, i64 window, const ConvAxis& a) {
  const i64 wide = (x > 0 ? a.x_dilation * (x - 1) + 1 : 0) + a.low + a.high;
  const i64 span = a.w_dilation * (window - 1) + 1;
  return window < 1 || wide < span ? 0 : (wide - span) / a.stride + 1;
}

// x (G, N, C, S...), w (G, O, C, K...) -> G, N and O in `order`, then P...
constexpr Dims conv_dims(const Dims& x, const Dims& w, const ConvAxes& axes) {
  Dims r;
  r.rank = 3 + axes.spatial;
  const i64 lead[3]{x.extent[0], x.extent[1], w.extent[1]};
  for (int k = 0; k < 3; ++k) r.extent[k] = lead[axes.order[k]];
  for (int k = 0; k < axes.spatial; ++k)
    r.extent[3 + k] = conv_extent(x.extent[3 + k], w.extent[3 + k], axes.axis[k]);
  return r;
}

// result[g, n, o, p] = sum over c and k of x[g, n, c, p stride + k dilation - low] w[g, o, c, k]: what deep
// learning calls a convolution (the window is not turned round). Operands of one floating dtype.
constexpr Value conv(Value x, Value w, const ConvAxes& axes, DType result) {
  Builder& b = *x.builder;
  i64 list[conv_attributes(3)]{axes.order[0], axes.order[1], axes.order[2]};
  int n = 3;
  for (int k = 0; k < axes.spatial; ++k) {
    const ConvAxis& a = axes.axis[k];
    for (const i64 v : {a.stride, a.low, a.high, a.x_dilation, a.w_dilation}) list[n++] = v;
  }
  const int shape = b.shape(conv_dims(x.dims(), w.dims(), axes));
  return raw(Op::conv, result, shape, 0, b.list(list, n), x, w);
}

constexpr ConvAxes conv_axes(const Graph& g, int node) {
  const Node& n = g.nodes[node];
  const i64* list = g.list_data.data() + g.lists[n.list].begin;
  ConvAxes axes;
  axes.spatial = (g.lists[n.list].size - 3) / 5;
  for (int k = 0; k < 3; ++k) axes.order[k] = list[k];
  for (int k = 0; k < axes.spatial; ++k) {
    const i64* a = list + 3 + 5 * k;
    axes.axis[k] = {a[0], a[1], a[2], a[3], a[4]};
  }
  return axes;
}

}  // namespace WEFT_NAMESPACE::ir
