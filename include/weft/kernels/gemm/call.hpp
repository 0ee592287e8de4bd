#pragma once
// A product as a program's image spells it: numbers m, n, k, five strides, and for each batch axis its extent
// and three strides; operands a, b, c, what is added (laid out as c) and the bias, absent ones null; words:
// the dtypes of a, b and c, then which of the two last there are and whether f32 factors may be rounded to
// TF32 (a permission: who has no such units takes f32).

#include "weft/kernels/gemm/shape.hpp"

namespace WEFT_NAMESPACE::kernels {

inline constexpr u64 dot_adds = 1, dot_has_bias = 2, dot_is_tf32 = 4;

struct DotCall {
  DotShape shape;
  DotBatch batch;
};

constexpr DotCall dot_call(const u64* numbers) {
  const auto number = [&](int i) { return static_cast<i64>(numbers[i]); };
  DotCall call;
  call.shape = {number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7)};
  call.batch.rank = static_cast<int>(numbers[8]);
  for (int i = 0; i < call.batch.rank; ++i) {
    call.batch.extent[i] = number(9 + 4 * i);
    call.batch.a[i] = number(10 + 4 * i);
    call.batch.b[i] = number(11 + 4 * i);
    call.batch.c[i] = call.batch.add[i] = number(12 + 4 * i);
  }
  return call;
}

}  // namespace WEFT_NAMESPACE::kernels
