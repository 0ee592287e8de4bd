#pragma once
// Gradients of the primitives along one axis, in the manner of gradient_rules.hpp. Formulae: PyTorch's
// cumulative functions, with zeros and ties treated exactly.

#include "weft/ir/along_axis.hpp"

namespace WEFT_NAMESPACE::transforms::rules {

namespace along_axis {
using ir::Fold;
using ir::Op;
using ir::Value;

struct Attributes {
  int axis;
  bool reversed;
  Fold fold;
};
constexpr Attributes of_scan(Value y) {
  const ir::Graph& g = y.builder->graph;
  return {static_cast<int>(g.attribute(y.id, 0)), g.attribute(y.id, 1) != 0,
          static_cast<Fold>(g.attribute(y.id, 2))};
}
constexpr Value equal(Value x, double value) { return ir::binary(Op::eq, x, ir::constant_like(x, value)); }

// The place of the element that each running extremum is: the last of equals.
constexpr Value extremum_places(Value x, Value y, int axis, bool reversed) {
  ir::Builder& b = *x.builder;
  const Dims d = x.dims();
  Value hit = ir::binary(Op::eq, x, y);
  if (is_float(x.dtype())) hit = ir::binary(Op::bit_or, hit, ir::unary(Op::is_nan, x));
  const Value place{&b, b.leaf(Op::iota, DType::i64, d, static_cast<u64>(axis))};
  const Value none = ir::constant_like(place, static_cast<double>(reversed ? d.extent[axis] : -1));
  return ir::scan(ir::select(hit, place, none), axis, reversed, reversed ? Fold::min : Fold::max);
}

// A line seen as pairs (in front, element i, element k, behind): x's as i, y's as k.
struct Pairs {
  Dims dims, as_i, as_k;
  Value follows;  // whether k is i or comes after it
  Value same;     // whether k is i
};
constexpr Pairs pairs_of(Value x, int axis, bool reversed) {
  ir::Builder& b = *x.builder;
  const Dims d = x.dims();
  Pairs p;
  p.as_i.rank = 4;
  for (int k = 0; k < 4; ++k) p.as_i.extent[k] = 1;
  for (int k = 0; k < d.rank; ++k) p.as_i.extent[k < axis ? 0 : k == axis ? 1 : 3] *= d.extent[k];
  p.as_k = p.as_i;
  p.as_k.extent[1] = 1;
  p.as_k.extent[2] = d.extent[axis];
  p.dims = ir::with_extent(p.as_i, 2, d.extent[axis]);
  const Value i{&b, b.leaf(Op::iota, DType::i32, p.dims, 1)}, k{&b, b.leaf(Op::iota, DType::i32, p.dims, 2)};
  p.follows = reversed ? ir::binary(Op::le, k, i) : ir::binary(Op::le, i, k);
  p.same = ir::binary(Op::eq, i, k);
  return p;
}
constexpr Value sum_of_following(const Pairs& p, Value each, const Dims& d) {
  const Value none = ir::constant_like(each, 0);
  return ir::reshape(ir::reduce(Op::reduce_sum, ir::select(p.follows, each, none), 4u), d);
}

// sum of g times the product of all but this element, over what follows, from every pair of a line.
constexpr Value pairwise_product(Value x, Value g, int axis, bool reversed) {
  const Pairs p = pairs_of(x, axis, reversed);
  const Value other = ir::broadcast(ir::reshape(x, p.as_k), p.dims);
  const Value without =
      ir::scan(ir::select(p.same, ir::constant_like(other, 1), other), 2, reversed, Fold::prod);
  return sum_of_following(p, without * ir::broadcast(ir::reshape(g, p.as_k), p.dims), x.dims());
}
// Up to the first zero of its line, a product's gradient is sum(g y) / x over what follows; at that zero, the
// same sum of products without it; behind it, nothing. Short lines need no division.
constexpr Value product_gradient(Value x, Value y, Value g, int axis, bool reversed) {
  const Value pairwise = pairwise_product(x, g, axis, reversed);
  if (x.dims().extent[axis] <= 16) return pairwise;
  const Value one = ir::constant_like(x, 1), none = ir::constant_like(x, 0);
  const Value is_zero = equal(x, 0);
  const Value zeros = ir::scan(ir::select(is_zero, one, none), axis, reversed, Fold::sum);
  const Value first = ir::binary(Op::bit_and, is_zero, equal(zeros, 1));
  const Value without = ir::scan(ir::select(first, one, x), axis, reversed, Fold::prod);
  const Value rest = ir::scan(g * y, axis, !reversed, Fold::sum);
  const Value at_zero = ir::scan(g * without, axis, !reversed, Fold::sum);
  const Value before = ir::select(equal(zeros, 0), rest / ir::select(is_zero, one, x), none);
  return ir::surrogate(ir::select(first, at_zero, before), pairwise);
}

// sum of g exp(x - y) over what follows, from every pair of a line.
constexpr Value pairwise_gradient(Value x, Value y, Value g, int axis, bool reversed) {
  const Pairs p = pairs_of(x, axis, reversed);
  const Value one = ir::broadcast(ir::reshape(x, p.as_i), p.dims);
  const Value sum = ir::broadcast(ir::reshape(y, p.as_k), p.dims);
  const Value none = ir::constant_like(one, 0);
  const Value counts =
      ir::binary(Op::bit_and, p.follows, ir::binary(Op::ne, one, sum));  // infinities are equal
  const Value weight = ir::unary(Op::exp, ir::select(counts, one - sum, none));
  return sum_of_following(p, weight * ir::broadcast(ir::reshape(g, p.as_k), p.dims), x.dims());
}

// The same in logarithms, since exp(-y) alone may overflow. The logarithm of g has no derivative where g is
// 0; the sum is linear there, too.
constexpr Value logarithmic_gradient(Value x, Value y, Value g, int axis, bool reversed) {
  const Value zero = ir::constant_like(g, 0);
  const auto part = [&](Value positive) {
    const Value held = ir::binary(Op::max, positive, zero);
    const Value sums = ir::scan(ir::unary(Op::log, held) - y, axis, !reversed, Fold::logaddexp);
    return ir::unary(Op::exp, sums + x);
  };
  const Value gained = part(g), lost = part(-g);
  return ir::surrogate(gained - lost, pairwise_gradient(x, y, g, axis, reversed));
}

}  // namespace along_axis

constexpr void scan(ir::Value y, ir::Value g, ir::Value* out) {
  const along_axis::Attributes a = along_axis::of_scan(y);
  const ir::Value x = y.in(0);
  switch (a.fold) {
    case ir::Fold::sum:
      out[0] = ir::scan(g, a.axis, !a.reversed, ir::Fold::sum);
      return;
    case ir::Fold::prod:
      out[0] = along_axis::product_gradient(x, y, g, a.axis, a.reversed);
      return;
    case ir::Fold::logaddexp:
      out[0] = along_axis::logarithmic_gradient(x, y, g, a.axis, a.reversed);
      return;
    default:
      out[0] = ir::scatter_reduce(along_axis::extremum_places(x, y, a.axis, a.reversed), g, a.axis,
                                  x.dims().extent[a.axis], ir::Fold::sum);
  }
}

constexpr void take_along_axis(ir::Value y, ir::Value g, ir::Value* out) {
  const int axis = static_cast<int>(y.builder->graph.attribute(y.id, 0));
  out[0] = ir::scatter_reduce(y.in(1), g, axis, y.in(0).dims().extent[axis], ir::Fold::sum);
}

// Skipped updates have no gradient; equal extrema share it; of a product, as of reduce_prod.
constexpr void scatter_reduce(ir::Value y, ir::Value g, ir::Value* out) {
  const ir::Value index = y.in(0), u = y.in(1);
  const int axis = static_cast<int>(y.builder->graph.attribute(y.id, 0));
  const auto fold = static_cast<ir::Fold>(y.builder->graph.attribute(y.id, 1));
  const i64 extent = y.dims().extent[axis];
  const auto at_update = [&](ir::Value v) { return ir::take_along_axis(v, index, axis, true); };
  if (fold == ir::Fold::sum) {
    out[1] = at_update(g);
  } else if (fold == ir::Fold::prod) {
    const ir::Value one = ir::constant_like(u, 1), zero = ir::constant_like(u, 0);
    const ir::Value is_zero = along_axis::equal(u, 0);
    const ir::Value zeros =
        ir::scatter_reduce(index, ir::select(is_zero, one, zero), axis, extent, ir::Fold::sum);
    const ir::Value rest =
        ir::scatter_reduce(index, ir::select(is_zero, one, u), axis, extent, ir::Fold::prod);
    const ir::Value plain =
        ir::select(along_axis::equal(zeros, 0), g * rest, ir::constant_like(g, 0));  // no zero among them
    const ir::Value single = ir::select(along_axis::equal(zeros, 1), g * rest, ir::constant_like(g, 0));
    out[1] = ir::select(is_zero, at_update(single), at_update(plain) / ir::select(is_zero, one, u));
  } else {
    const ir::Value hit = ir::cast(ir::binary(ir::Op::eq, u, at_update(y)), u.dtype());
    const ir::Value hits = ir::scatter_reduce(index, hit, axis, extent, ir::Fold::sum);
    const ir::Value shared = g / ir::binary(ir::Op::max, hits, ir::constant_like(hits, 1));
    out[1] = hit * at_update(shared);
  }
}

}  // namespace WEFT_NAMESPACE::transforms::rules
