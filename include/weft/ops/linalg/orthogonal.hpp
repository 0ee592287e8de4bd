#pragma once
// The matrix with orthonormal rows or columns that is nearest to another, by products alone (Newton and
// Schulz's iteration), on plain values: what Muon and the orthogonal initialiser are made of.

#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::detail {

// x (m, k) times y (n, k), transposed.
constexpr ir::Value times_transposed(ir::Value x, ir::Value y) {
  ir::DotAxes axes;
  axes.contracted = 1;
  axes.contracted_a[0] = axes.contracted_b[0] = 1;
  return ir::dot(x, y, axes, x.dtype());
}
constexpr ir::Value times(ir::Value x, ir::Value y) {
  ir::DotAxes axes;
  axes.contracted = 1;
  axes.contracted_a[0] = 1;
  axes.contracted_b[0] = 0;
  return ir::dot(x, y, axes, x.dtype());
}

// One step, x no taller than wide: a x + (b s + c s s) x with s = x x^T. Every singular value v becomes
// a v + b v^3 + c v^5.
template <class A, class B, class C>
constexpr ir::Value newton_schulz_step(ir::Value x, A a, B b, C c) {
  const ir::Value s = times_transposed(x, x);
  const ir::Value linear = s * b, square = times(s, s) * c;
  const ir::Value polynomial = linear + square;
  const ir::Value kept = x * a;
  return kept + times(polynomial, x);
}

}  // namespace WEFT_NAMESPACE::detail
