#include "weft/kernel_ir/along_axis.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace weft;
using kernel_ir::View;

namespace {

// Whether walking the axes in front, the axis and the axes behind with one stride each reaches every element
// where the view has it.
bool reaches(const View& v, const Dims& d, int axis, const kernel_ir::AxisStrides& s) {
  i64 index[max_rank]{};
  for (i64 n = 0; n < d.size(); ++n) {
    i64 at = 0, outer = 0, inner = 0;
    for (int k = 0; k < d.rank; ++k) {
      at += index[k] * v.stride[k];
      if (k < axis) outer = outer * d.extent[k] + index[k];
      if (k > axis) inner = inner * d.extent[k] + index[k];
    }
    if (at != outer * s.outer + index[axis] * s.axis + inner * s.inner) return false;
    for (int k = d.rank - 1; k >= 0 && ++index[k] == d.extent[k]; --k) index[k] = 0;
  }
  return true;
}

}  // namespace

TEST_CASE("along_axis: a view is ok for an axis exactly where one stride on either side walks it") {
  std::mt19937 random(11);
  constexpr i64 extents[]{1, 2, 3, 4};
  int good = 0, bad = 0;
  for (int n = 0; n < 20000; ++n) {
    Dims d;
    d.rank = 1 + static_cast<int>(random() % 4);
    for (int k = 0; k < d.rank; ++k) d.extent[k] = extents[random() % 4];
    View v = kernel_ir::contiguous_view(0, d);
    switch (random() % 4) {
      case 0:
        break;
      case 1:  // broadcast
        v.stride[random() % static_cast<u32>(d.rank)] = 0;
        break;
      case 2:  // every second
        for (int k = 0; k < d.rank; ++k) v.stride[k] *= 2;
        break;
      default:
        for (int k = 0; k < d.rank; ++k) v.stride[k] = d.extent[k] == 1 ? 0 : static_cast<i64>(random() % 8);
    }
    const int axis = static_cast<int>(random() % static_cast<u32>(d.rank));
    const kernel_ir::AxisStrides s = kernel_ir::axis_strides(v, d, axis);
    CAPTURE(to_text(d).c_str());
    if (s.ok) REQUIRE(reaches(v, d, axis, s));
    (s.ok ? good : bad) += 1;
    // not ok: two axes on one side are no run
    if (!s.ok) {
      bool broken = false;
      for (const auto& [begin, end] : {std::pair{0, axis}, std::pair{axis + 1, d.rank}})
        for (int k = begin; k < end; ++k) {
          int in = k + 1;
          while (in < end && d.extent[in] == 1) ++in;
          if (d.extent[k] != 1 && in < end) broken = broken || v.stride[k] != v.stride[in] * d.extent[in];
        }
      REQUIRE(broken);
    }
  }
  CHECK(good > 5000);
  CHECK(bad > 1000);
}
