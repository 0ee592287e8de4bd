#pragma once
// A strided view seen from one axis: the strides of the axes before it, of the axis itself and of those
// behind it, where the first and the last walk memory as one each.

#include "weft/ir/along_axis.hpp"
#include "weft/kernel_ir/views.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

struct AxisStrides {
  i64 outer = 0, axis = 0, inner = 0;
  bool ok = true;
};

constexpr AxisStrides axis_strides(const View& v, const Dims& d, int axis) {
  AxisStrides r;
  r.axis = d.extent[axis] == 1 ? 0 : v.stride[axis];
  // joins axes [begin, end) into one; false where they are no run
  const auto join = [&](int begin, int end, i64& stride) {
    i64 run = 0;
    bool any = false, ok = true;
    for (int k = end - 1; k >= begin; --k) {
      if (d.extent[k] == 1) continue;
      if (any)
        ok = ok && v.stride[k] == run;
      else
        stride = v.stride[k];
      any = true;
      run = v.stride[k] * d.extent[k];
    }
    return ok;
  };
  const bool before = join(0, axis, r.outer), behind = join(axis + 1, d.rank, r.inner);
  r.ok = before && behind;
  return r;
}

}  // namespace WEFT_NAMESPACE::kernel_ir
