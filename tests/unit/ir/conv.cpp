// The convolution's extents and its node.
#include "weft/ir/conv.hpp"

#include <doctest/doctest.h>

using namespace weft;

namespace {

// At how many places the window fits, counted place by place.
i64 counted(i64 x, i64 window, const ir::ConvAxis& a) {
  if (window < 1) return 0;
  const i64 wide = (x > 0 ? a.x_dilation * (x - 1) + 1 : 0) + a.low + a.high;
  i64 places = 0;
  for (i64 at = 0; at + a.w_dilation * (window - 1) < wide; at += a.stride) ++places;
  return places;
}

}  // namespace

TEST_CASE("conv: an extent is how often the window fits") {
  for (const i64 x : {0, 1, 2, 5, 8})
    for (const i64 window : {0, 1, 2, 3, 9})
      for (const i64 stride : {1, 2, 3})
        for (const i64 low : {-1, 0, 2})
          for (const i64 high : {-2, 0, 1})
            for (const i64 dilation : {1, 2, 3}) {
              const ir::ConvAxis a{stride, low, high, dilation, 3 - dilation / 2};
              CHECK(ir::conv_extent(x, window, a) == counted(x, window, a));
            }
}

TEST_CASE("conv: a node keeps its axes and their order") {
  ir::Builder b;
  const i64 x_extents[]{2, 3, 4, 9, 7}, w_extents[]{2, 5, 4, 3, 2};
  const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, ir::make_dims(5, x_extents), 0)};
  const ir::Value w{&b, b.leaf(ir::Op::input, DType::f32, ir::make_dims(5, w_extents), 1)};
  ir::ConvAxes axes;
  axes.spatial = 2;
  axes.order[0] = 1, axes.order[1] = 0, axes.order[2] = 2;
  axes.axis[0] = {2, 1, 0, 1, 2};
  axes.axis[1] = {1, -1, 3, 2, 1};
  const ir::Value y = ir::conv(x, w, axes, DType::f32);
  const ir::ConvAxes kept = ir::conv_axes(b.graph, y.id);
  CHECK(kept.spatial == 2);
  for (int k = 0; k < 3; ++k) CHECK(kept.order[k] == axes.order[k]);
  for (int k = 0; k < 2; ++k) {
    CHECK(kept.axis[k].stride == axes.axis[k].stride);
    CHECK(kept.axis[k].low == axes.axis[k].low);
    CHECK(kept.axis[k].high == axes.axis[k].high);
    CHECK(kept.axis[k].x_dilation == axes.axis[k].x_dilation);
    CHECK(kept.axis[k].w_dilation == axes.axis[k].w_dilation);
  }
  const i64 wanted[]{3, 2, 5, 3, 14};  // batch, groups, outputs, places
  CHECK(y.dims() == ir::make_dims(5, wanted));
  CHECK(b.graph.attributes(y.id) == ir::conv_attributes(2));
}
