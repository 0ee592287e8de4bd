#pragma once
// A tensor rounded to 8 bits at a scale of its own, and the number that its next scale is made of. Law: what
// is rounded is a number of bf16, too, so that products of bf16 take it as it is.

#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::transforms {

// The largest finite number of an 8-bit format.
constexpr double largest_f8(DType format) { return format == DType::f8e4m3 ? 448 : 57344; }

// x (f32) times `scale` (one f32), what lies beyond the format's largest number taken to it, rounded to
// `format`; f32 again. NaN stays.
constexpr ir::Value round_to_f8(ir::Value x, ir::Value scale, DType format) {
  const ir::Value scaled = x * ir::broadcast(scale, x.dims());
  const double most = largest_f8(format);
  const ir::Value held = ir::binary(ir::Op::min, ir::binary(ir::Op::max, scaled, ir::constant_like(x, -most)),
                                    ir::constant_like(x, most));
  return ir::cast(ir::cast(ir::cast(held, format), DType::bf16), DType::f32);
}

// The largest magnitude of x, one f32; NaN where x has one.
constexpr ir::Value largest_magnitude(ir::Value x) {
  const ir::Value magnitude = ir::unary(ir::Op::abs, x);
  return ir::reshape(ir::reduce(ir::Op::reduce_max, magnitude, (1u << x.dims().rank) - 1u), Dims{});
}

}  // namespace WEFT_NAMESPACE::transforms
