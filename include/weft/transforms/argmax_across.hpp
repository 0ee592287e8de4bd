#pragma once
// argmax and argmin along an axis behind which others stay: the greatest value along it, then the first place
// that holds it. Both go over whole rows, where a search element by element would go across them. Law: the
// same places; the first of equals, and NaN before everything.

#include <limits>

#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::transforms {

// Whether node i is such a search.
constexpr bool searches_across(const ir::Graph& g, int i) {
  const ir::Op op = g.nodes.items[i].op;
  if ((op != ir::Op::argmax && op != ir::Op::argmin) || g.attributes(i) != 1) return false;
  const int axis = static_cast<int>(g.attribute(i, 0));
  const Dims& d = g.dims(g.in(i, 0));
  i64 behind = 1;
  for (int a = axis + 1; a < d.rank; ++a) behind *= d.extent[a];
  return behind > 1 && d.extent[axis] < std::numeric_limits<i32>::max();
}

// The places of the greatest of x along an axis, or of the least.
constexpr ir::Value search_across(ir::Value x, int axis, bool greatest) {
  using ir::Op;
  const ir::Axes axes = ir::Axes{1} << axis;
  const ir::Value best = ir::reduce(greatest ? Op::reduce_max : Op::reduce_min, x, axes);
  ir::Value found = ir::binary(Op::eq, x, ir::broadcast(best, x.dims()));
  if (is_float(x.dtype())) found = ir::binary(Op::bit_or, found, ir::unary(Op::is_nan, x));
  const ir::Value place{x.builder, x.builder->leaf(Op::iota, DType::i32, x.dims(), static_cast<u64>(axis))};
  const ir::Value behind = ir::constant_like(place, static_cast<double>(x.dims().extent[axis]));
  return ir::cast(ir::reduce(Op::reduce_min, ir::select(found, place, behind), axes), DType::i64);
}

}  // namespace WEFT_NAMESPACE::transforms
