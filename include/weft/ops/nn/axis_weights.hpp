#pragma once
// One axis through a matrix: how resizing and uneven pooling weigh the elements of an axis. The gradient is
// the product with the transpose.

#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::detail {

// x's axis replaced by sum over i of matrix[p, i] x[..., i, ...].
constexpr ir::Value along_axis(ir::Value x, int axis, ir::Value matrix) {
  ir::DotAxes product;
  product.contracted = 1;
  product.contracted_a[0] = axis;
  product.contracted_b[0] = 1;
  const ir::Value y = ir::dot(x, matrix, product, x.dtype());
  const int rank = x.dims().rank;
  i64 order[8]{};
  for (int k = 0; k < rank; ++k) order[k] = k < axis ? k : k == axis ? rank - 1 : k - 1;
  return ir::permute(y, order);
}

}  // namespace WEFT_NAMESPACE::detail
