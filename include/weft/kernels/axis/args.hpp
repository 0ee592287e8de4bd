#pragma once
// Arguments of the kernels that work along one axis: extents before, along and behind it, and one stride of
// each operand for each of the three. Results are row-major. Law: a line is worked on in its own order.

#include "weft/core/sort_memory.hpp"
#include "weft/kernels/evaluator/code.hpp"

namespace WEFT_NAMESPACE::kernels {

struct AxisArgs {
  // scan, argsort, take_along_axis, searchsorted: the lines; scatter_reduce: the updates
  const void* a = nullptr;
  const void* b = nullptr;  // take_along_axis, scatter_reduce: the indices; searchsorted: what is looked for
  void* out = nullptr;
  void* scratch = nullptr;               // argsort of long lines; scan of cut ones: 8 bytes a piece
  i64 outer = 0, extent = 0, inner = 0;  // of the lines; of scatter_reduce's result
  i64 a_stride[3]{};
  i64 count = 0;  // elements of a line of b, of argsort's result, or of a piece of a scan's line
  i64 b_stride[3]{};
  // scan: reversed; argsort: descending; take_along_axis: zero where missing; searchsorted: right
  bool flag = false;
};

inline AxisArgs axis_args(const LaunchArgs& args, const u64* numbers) {
  AxisArgs r;
  r.a = args.pointer[0], r.b = args.pointer[1], r.out = args.pointer[2], r.scratch = args.pointer[3];
  const auto n = [&](int k) { return static_cast<i64>(numbers[k]); };
  r.outer = n(0), r.extent = n(1), r.inner = n(2);
  for (int k = 0; k < 3; ++k) r.a_stride[k] = n(3 + k), r.b_stride[k] = n(7 + k);
  r.count = n(6);
  r.flag = n(10) != 0;
  return r;
}

}  // namespace WEFT_NAMESPACE::kernels
