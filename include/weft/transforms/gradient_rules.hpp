#pragma once
// The one table of gradients: for each primitive, from its value y and the gradient g of y, the gradient of
// every operand, emitted as primitives (so gradients of gradients need nothing more). A null rule: no
// gradient flows (integers, predicates, random bits). Formulae: the derivatives of calculus; dot's after the
// general contraction of XLA's DotGeneral.

#include "weft/ir/conv.hpp"
#include "weft/ir/dynamic_slice.hpp"
#include "weft/ir/group.hpp"
#include "weft/transforms/along_axis_rules.hpp"
#include "weft/transforms/f8_rounding.hpp"
#include "weft/transforms/linear_sum.hpp"

namespace WEFT_NAMESPACE::transforms {

using ir::Op;
using ir::Value;

// Writes the gradient of operand k to out[k]; leaves those without one alone.
using GradientRule = void (*)(Value y, Value g, Value* out);

namespace rules {

constexpr void neg(Value, Value g, Value* out) { out[0] = -g; }
constexpr void abs(Value y, Value g, Value* out) { out[0] = g * ir::unary(Op::sign, y.in(0)); }
constexpr void exp(Value y, Value g, Value* out) { out[0] = g * y; }
constexpr void expm1(Value y, Value g, Value* out) { out[0] = g * (y + 1.0); }
constexpr void log(Value y, Value g, Value* out) { out[0] = g / y.in(0); }
constexpr void log1p(Value y, Value g, Value* out) { out[0] = g / (y.in(0) + 1.0); }
constexpr void sqrt(Value y, Value g, Value* out) { out[0] = g * 0.5 / y; }
constexpr void rsqrt(Value y, Value g, Value* out) { out[0] = g * (y * y * y * -0.5); }
constexpr void sin(Value y, Value g, Value* out) { out[0] = g * ir::unary(Op::cos, y.in(0)); }
constexpr void cos(Value y, Value g, Value* out) { out[0] = -(g * ir::unary(Op::sin, y.in(0))); }
constexpr void tan(Value y, Value g, Value* out) { out[0] = g * (y * y + 1.0); }
constexpr void asin(Value y, Value g, Value* out) {
  out[0] = g * ir::unary(Op::rsqrt, 1.0 - y.in(0) * y.in(0));
}
constexpr void acos(Value y, Value g, Value* out) {
  out[0] = -(g * ir::unary(Op::rsqrt, 1.0 - y.in(0) * y.in(0)));
}
constexpr void atan(Value y, Value g, Value* out) { out[0] = g / (y.in(0) * y.in(0) + 1.0); }
constexpr void sinh(Value y, Value g, Value* out) { out[0] = g * ir::unary(Op::cosh, y.in(0)); }
constexpr void cosh(Value y, Value g, Value* out) { out[0] = g * ir::unary(Op::sinh, y.in(0)); }
constexpr void tanh(Value y, Value g, Value* out) { out[0] = g * (1.0 - y * y); }
constexpr void sigmoid(Value y, Value g, Value* out) { out[0] = g * ((1.0 - y) * y); }
constexpr void erf(Value y, Value g, Value* out) {
  const Value x = y.in(0);
  out[0] = g * (ir::unary(Op::exp, -(x * x)) * 1.1283791670955126);  // 2 / sqrt(pi)
}
constexpr void erfc(Value y, Value g, Value* out) {
  erf(y, g, out);
  out[0] = -out[0];
}
constexpr void cast(Value y, Value g, Value* out) {
  if (is_float(y.in(0).dtype()) && is_float(y.dtype())) out[0] = ir::cast(g, y.in(0).dtype());
}
constexpr void add(Value, Value g, Value* out) { out[0] = out[1] = g; }
constexpr void sub(Value, Value g, Value* out) { out[0] = g, out[1] = -g; }
constexpr void mul(Value y, Value g, Value* out) { out[0] = g * y.in(1), out[1] = g * y.in(0); }
constexpr void div(Value y, Value g, Value* out) {
  if (y.in(0).is(1)) {  // what is divided by is at hand as a factor
    out[1] = -(g * y * y);
    return;
  }
  out[0] = g / y.in(1);
  if (!y.in(1).is_constant()) out[1] = -(out[0] * y);
}
constexpr void pow(Value y, Value g, Value* out) {
  const Value x = y.in(0), p = y.in(1);
  const Value zero = ir::constant_like(x, 0);
  if (!x.is_constant())
    out[0] = ir::select(ir::binary(Op::eq, p, zero), zero, g * (p * ir::binary(Op::pow, x, p - 1.0)));
  if (p.is_constant()) return;
  const Value weight = g * (y * ir::unary(Op::log, x));
  if (x.is_constant() && x.constant() > 0) {
    out[1] = weight;
    return;
  }
  const Value dead = ir::binary(Op::bit_and, ir::binary(Op::eq, x, zero), ir::binary(Op::le, zero, p));
  out[1] = ir::select(dead, zero, weight);
}
// Equal operands share the gradient, and both have it where one is NaN, as in PyTorch.
constexpr void extremum(Value y, Value g, Value* out) {
  const Value a = y.in(0), b = y.in(1), zero = ir::constant_like(g, 0);
  const Value halved = ir::select(ir::binary(Op::eq, a, b), g * 0.5, g);
  const Value less = ir::binary(Op::lt, a, b), more = ir::binary(Op::lt, b, a);
  out[0] = ir::select(y.op() == Op::max ? less : more, zero, halved);
  out[1] = ir::select(y.op() == Op::max ? more : less, zero, halved);
}
constexpr void fmod(Value y, Value g, Value* out) {
  out[0] = g;
  out[1] = -(g * ir::unary(Op::trunc, y.in(0) / y.in(1)));
}
constexpr void atan2(Value y, Value g, Value* out) {
  // b and -a over a^2 + b^2, by the larger of them; 0 at the origin
  const Value a = y.in(0), b = y.in(1), zero = ir::constant_like(g, 0);
  const Value steep = ir::binary(Op::lt, ir::unary(Op::abs, b), ir::unary(Op::abs, a));
  const Value large = ir::select(steep, a, b), origin = ir::binary(Op::eq, large, zero);
  const Value ratio = ir::select(origin, zero, ir::select(steep, b, a) / large);
  const Value scaled = ir::select(origin, zero, g / (large * (ratio * ratio + 1.0)));
  out[0] = ir::select(steep, scaled * ratio, scaled);
  out[1] = -ir::select(steep, scaled, scaled * ratio);
}
constexpr void select(Value y, Value g, Value* out) {
  const Value zero = ir::constant_like(g, 0);
  out[1] = ir::select(y.in(0), g, zero);
  out[2] = ir::select(y.in(0), zero, g);
}
constexpr void fma(Value y, Value g, Value* out) { out[0] = g * y.in(1), out[1] = g * y.in(0), out[2] = g; }
constexpr void broadcast(Value y, Value g, Value* out) { out[0] = linear_sum_to(g, y.in(0).dims()); }
constexpr void add_dependency(Value, Value g, Value* out) { out[0] = g; }
constexpr void reshape(Value y, Value g, Value* out) { out[0] = ir::reshape(g, y.in(0).dims()); }
constexpr void permute(Value y, Value g, Value* out) {
  i64 inverse[8]{};
  for (int i = 0; i < y.dims().rank; ++i) inverse[y.builder->graph.attribute(y.id, i)] = i;
  out[0] = ir::permute(g, inverse);
}
constexpr void pad(Value y, Value g, Value* out) {
  ir::Slices axes;
  for (int i = 0; i < y.dims().rank; ++i) axes[i].begin = y.builder->graph.attribute(y.id, 2 * i);
  out[0] = ir::slice(g, axes, y.in(0).dims());
}
constexpr void slice(Value y, Value g, Value* out) {
  const ir::Graph& graph = y.builder->graph;
  const Dims from = y.in(0).dims(), to = y.dims();
  i64 widths[16]{};
  for (int i = 0; i < from.rank; ++i) {
    const i64 begin = graph.attribute(y.id, 2 * i), step = graph.attribute(y.id, 2 * i + 1);
    if (step == 1) {
      widths[2 * i] = begin;
      widths[2 * i + 1] = from.extent[i] - begin - to.extent[i];
      continue;
    }
    // A step of s: give every element s - 1 zeros behind it, then shift into place; a negative step first
    // turns the axis round.
    Dims d = g.dims();
    const i64 stride = step < 0 ? -step : step;
    if (step < 0) {
      // every axis is written: g++ 12 starts an array from what constant evaluation last left in it
      ir::Slices turn;
      for (int k = 0; k < d.rank; ++k) turn[k] = {k == i ? d.extent[k] - 1 : 0, k == i ? -1 : 1};
      g = ir::slice(g, turn, d);
    }
    const i64 first = step < 0 ? begin - (d.extent[i] - 1) * stride : begin;
    if (stride > 1) {
      Dims split;
      split.rank = d.rank + 1;
      for (int k = 0, n = 0; k < d.rank; ++k) {
        split.extent[n++] = d.extent[k];
        if (k == i) split.extent[n++] = 1;
      }
      i64 gaps[16]{};
      gaps[2 * (i + 1) + 1] = stride - 1;
      d.extent[i] *= stride;
      g = ir::reshape(ir::pad(ir::reshape(g, split), gaps, 0), d);
    }
    widths[2 * i] = first;
    widths[2 * i + 1] = from.extent[i] - first - d.extent[i];
  }
  out[0] = ir::pad(g, widths, 0);
}
constexpr void reduce_sum(Value y, Value g, Value* out) { out[0] = ir::broadcast(g, y.in(0).dims()); }
// Ties share the gradient evenly, as PyTorch's amax does.
constexpr void reduce_extremum(Value y, Value g, Value* out) {
  const Value x = y.in(0);
  const Value hit = ir::cast(ir::binary(Op::eq, x, y), x.dtype());
  ir::Axes axes = 0;
  for (int i = 0; i < y.builder->graph.attributes(y.id); ++i)
    axes |= 1u << y.builder->graph.attribute(y.id, i);
  out[0] = hit * (g / ir::reduce(Op::reduce_sum, hit, axes));
}
// Along one axis the product of what stands before each element times that of what stands behind it: without
// a division, so zeros and infinities need no case of their own.
constexpr Value product_of_others(Value x, int axis) {
  const Dims d = x.dims();
  const i64 n = d.extent[axis];
  if (n <= 1) return ir::constant_like(x, 1);
  Dims shorter = d;
  shorter.extent[axis] = n - 1;
  ir::Slices head, tail;
  tail[axis].begin = 1;
  i64 low[16]{}, high[16]{};
  low[2 * axis] = high[2 * axis + 1] = 1;
  const Value before = ir::slice(ir::scan(x, axis, false, ir::Fold::prod), head, shorter);
  const Value behind = ir::slice(ir::scan(x, axis, true, ir::Fold::prod), tail, shorter);
  return ir::pad(before, low, 1) * ir::pad(behind, high, 1);
}
constexpr void reduce_prod(Value y, Value g, Value* out) {
  const Value x = y.in(0);
  const ir::Graph& graph = y.builder->graph;
  const int count = graph.attributes(y.id);
  if (count == 1) {
    out[0] = g * product_of_others(x, static_cast<int>(graph.attribute(y.id, 0)));
    return;
  }
  // the reduced axes last, as one
  const Dims d = x.dims();
  i64 order[8]{}, back[8]{}, reduced = 1;
  ir::Axes axes = 0;
  for (int i = 0; i < count; ++i) axes |= 1u << graph.attribute(y.id, i);
  int n = 0;
  for (const bool last : {false, true})
    for (int k = 0; k < d.rank; ++k)
      if ((axes >> k & 1u) == static_cast<u32>(last)) order[n++] = k;
  for (int k = 0; k < d.rank; ++k) {
    back[order[k]] = k;
    if (axes >> k & 1u) reduced *= d.extent[k];
  }
  const Value moved = ir::permute(x, order);
  Dims flat;
  flat.rank = 2;
  flat.extent[1] = reduced;
  flat.extent[0] = reduced > 0 ? d.size() / reduced : 0;
  const Value others = product_of_others(ir::reshape(moved, flat), 1);
  out[0] = g * ir::permute(ir::reshape(others, moved.dims()), back);
}

// dot(p, q) whose result has the axes of `like` in some order, returned in that order: `from_p`/`from_q`
// name, for every free axis of the result, the axis of `like` it stands for. Of the two operand orders the
// one that needs no permutation is chosen where there is one.
constexpr Value dot_into(Value p, Value q, const ir::DotAxes& axes, const int* position, const Dims& like,
                         DType dtype, u64 mark) {
  const Value r = ir::dot(p, q, axes, dtype, mark);
  i64 order[8]{};
  for (int k = 0; k < like.rank; ++k) order[position[k]] = k;
  return ir::permute(r, order);
}

constexpr void dot_operand(Value y, Value g, bool first, Value* out) {
  const ir::DotAxes f = ir::dot_axes(y.builder->graph, y.id);
  const Value a = y.in(0), b = y.in(1);
  const Value self = first ? a : b, other = first ? b : a;
  const int* batch_self = first ? f.batch_a : f.batch_b;
  const int* batch_other = first ? f.batch_b : f.batch_a;
  const int* contracted_self = first ? f.contracted_a : f.contracted_b;
  const int* contracted_other = first ? f.contracted_b : f.contracted_a;
  const ir::Axes used_self = first ? f.used_a() : f.used_b();
  const ir::Axes used_other = first ? f.used_b() : f.used_a();
  const int free_a = a.dims().rank - f.batch - f.contracted;
  const int free_b = b.dims().rank - f.batch - f.contracted;
  const int free_self = first ? free_a : free_b, free_other = first ? free_b : free_a;
  const int other_in_g = f.batch + (first ? free_a : 0);

  // Contract g with `other` over other's free axes: batch, self's free axes, self's contracted axes remain.
  int g_axes[8]{}, other_axes[8]{};
  for (int k = 0, n = 0; k < other.dims().rank; ++k)
    if (!(used_other >> k & 1u)) other_axes[n] = k, g_axes[n] = other_in_g + n, ++n;

  // Where every axis of the result stands in self, for both operand orders.
  int free_axes[8]{}, from_other[8]{};
  for (int k = 0, n = 0; k < self.dims().rank; ++k)
    if (!(used_self >> k & 1u)) free_axes[n++] = k;
  int n = 0;
  for (int k = 0; k < other.dims().rank; ++k)  // contracted axes in other's order
    for (int c = 0; c < f.contracted; ++c)
      if (contracted_other[c] == k) from_other[n++] = contracted_self[c];
  int g_first[8]{}, other_first[8]{};
  n = 0;
  for (int k = 0; k < f.batch; ++k) g_first[n] = other_first[n] = batch_self[k], ++n;
  for (int k = 0; k < free_self; ++k)
    g_first[n + k] = free_axes[k], other_first[n + f.contracted + k] = free_axes[k];
  for (int k = 0; k < f.contracted; ++k)
    g_first[n + free_self + k] = from_other[k], other_first[n + k] = from_other[k];
  bool other_is_identity = true;
  for (int k = 0; k < self.dims().rank; ++k) other_is_identity = other_is_identity && other_first[k] == k;

  // The factors of a product of 8-bit ones are such in its gradients, too.
  const u64 mark = y.node().imm == ir::dot_f8 ? ir::dot_f8 : 0;
  ir::DotAxes axes;
  axes.batch = f.batch;
  axes.contracted = free_other;
  if (!other_is_identity) {
    for (int k = 0; k < f.batch; ++k) axes.batch_a[k] = k, axes.batch_b[k] = batch_other[k];
    for (int k = 0; k < free_other; ++k)
      axes.contracted_a[k] = g_axes[k], axes.contracted_b[k] = other_axes[k];
    *out = dot_into(g, other, axes, g_first, self.dims(), self.dtype(), mark);
  } else {
    for (int k = 0; k < f.batch; ++k) axes.batch_b[k] = k, axes.batch_a[k] = batch_other[k];
    for (int k = 0; k < free_other; ++k)
      axes.contracted_b[k] = g_axes[k], axes.contracted_a[k] = other_axes[k];
    *out = dot_into(other, g, axes, other_first, self.dims(), self.dtype(), mark);
  }
}
constexpr void dot(Value y, Value g, Value* out) {
  dot_operand(y, g, true, &out[0]);
  dot_operand(y, g, false, &out[1]);
}
constexpr void surrogate(Value, Value g, Value* out) { out[1] = g; }
constexpr void slope(Value y, Value g, Value* out) { out[0] = g, out[1] = g * y.in(2); }
constexpr void f8_gradient(Value y, Value g, Value* out) {
  out[0] = round_to_f8(g, y.in(1), DType::f8e5m2);
  out[1] = largest_magnitude(g);
}
// Along an axis y[p] sums x~[p stride + k dilation - low] w[k], where x~ has gaps of x_dilation - 1 zeros. So
// x's gradient is g, with gaps of stride - 1, under w turned round; and w's is x under g, in whose sum the
// stride and w's dilation have changed places.
constexpr void conv(Value y, Value g, Value* out) {
  const ir::ConvAxes f = ir::conv_axes(y.builder->graph, y.id);
  const Value x = y.in(0), w = y.in(1);
  const Dims dx = x.dims(), dw = w.dims();
  const int rank = dx.rank;
  i64 back[8]{}, swap[8]{};
  for (int k = 0; k < rank; ++k) back[k] = swap[k] = k;
  for (int k = 0; k < 3; ++k) back[f.order[k]] = k;
  swap[1] = 2, swap[2] = 1;
  g = ir::permute(g, back);  // (G, N, O, P...)
  const Dims dg = g.dims();
  ir::ConvAxes to_x, to_w;
  to_x.spatial = to_w.spatial = f.spatial;
  ir::Slices turn;
  for (int k = 0; k < f.spatial; ++k) {
    const ir::ConvAxis& a = f.axis[k];
    const i64 s = dx.extent[3 + k], window = dw.extent[3 + k], p = dg.extent[3 + k];
    ir::ConvAxis &b = to_x.axis[k], &c = to_w.axis[k];
    b.stride = a.x_dilation;
    b.x_dilation = a.stride;
    b.w_dilation = a.w_dilation;
    b.low = a.w_dilation * (window - 1) - a.low;
    b.high = a.x_dilation * (s - 1) + a.w_dilation * (window - 1) - a.stride * (p - 1) - b.low;
    turn[3 + k] = {window - 1, -1};
    c.stride = a.w_dilation;
    c.x_dilation = a.x_dilation;
    c.w_dilation = a.stride;
    c.low = a.low;
    c.high = a.w_dilation * (window - 1) + a.stride * (p - 1) - a.x_dilation * (s - 1) - a.low;
  }
  // where there are groups, x's gradient lies as a tensor (N, G C, ...) does
  if (dx.extent[0] > 1) to_x.order[0] = 1, to_x.order[1] = 0;
  to_w.order[1] = 2, to_w.order[2] = 1;  // (G, O, C, K...)
  i64 order[8]{};
  for (int k = 0; k < rank; ++k) order[k] = k;
  for (int k = 0; k < 3; ++k) order[to_x.order[k]] = k;
  const Value turned = ir::permute(ir::slice(w, turn, dw), swap);
  out[0] = ir::permute(ir::conv(g, turned, to_x, x.dtype()), order);
  const Value images = ir::permute(x, swap), kernel = ir::permute(g, swap);
  out[1] = ir::conv(images, kernel, to_w, w.dtype());
}
constexpr void take_rows(Value y, Value g, Value* out) {
  out[0] = ir::scatter_add(y.in(1), g, y.in(0).dims().extent[0]);
}
constexpr void scatter_add(Value y, Value g, Value* out) { out[1] = ir::take_rows(g, y.in(0)); }
constexpr void dynamic_slice(Value y, Value g, Value* out) {
  out[0] = ir::dynamic_update_slice(ir::constant_like(y.in(0), 0), g, ir::block_place(y));
}
constexpr void dynamic_update_slice(Value y, Value g, Value* out) {
  const ir::BlockPlace place = ir::block_place(y);
  out[0] = ir::dynamic_update_slice(g, ir::constant_like(y.in(1), 0), place);
  out[1] = ir::dynamic_slice(g, y.in(1).dims(), place);
}

constexpr void group_copy(Value y, Value g, Value* out) {
  out[0] = ir::group_sum(g, static_cast<int>(y.node().imm));
}
constexpr void group_collective(Value y, Value g, Value* out) {
  const GroupCall call = GroupCall::decode(y.node().imm);
  if (call.kind == GroupKind::sum) {
    out[0] = ir::group_copy(g, call.degree);
    return;
  }
  const GroupKind back = call.kind != GroupKind::gather ? GroupKind::gather
                         : call.to_parts                ? GroupKind::scatter
                                                        : GroupKind::part;
  out[0] = ir::group_collective(g, {back, call.degree, call.kind == GroupKind::scatter});
}

struct Row {
  Op op;
  GradientRule rule;
};
inline constexpr Row table[] = {
    {Op::neg, neg},
    {Op::abs, abs},
    {Op::exp, exp},
    {Op::expm1, expm1},
    {Op::log, log},
    {Op::log1p, log1p},
    {Op::sqrt, sqrt},
    {Op::rsqrt, rsqrt},
    {Op::sin, sin},
    {Op::cos, cos},
    {Op::tan, tan},
    {Op::asin, asin},
    {Op::acos, acos},
    {Op::atan, atan},
    {Op::sinh, sinh},
    {Op::cosh, cosh},
    {Op::tanh, tanh},
    {Op::sigmoid, sigmoid},
    {Op::erf, erf},
    {Op::erfc, erfc},
    {Op::cast, cast},
    {Op::add, add},
    {Op::sub, sub},
    {Op::mul, mul},
    {Op::div, div},
    {Op::pow, pow},
    {Op::max, extremum},
    {Op::min, extremum},
    {Op::fmod, fmod},
    {Op::atan2, atan2},
    {Op::select, select},
    {Op::fma, fma},
    {Op::surrogate, surrogate},
    {Op::slope, slope},
    {Op::f8_gradient, f8_gradient},
    {Op::group_copy, group_copy},
    {Op::group_collective, group_collective},
    {Op::broadcast, broadcast},
    {Op::reshape, reshape},
    {Op::permute, permute},
    {Op::slice, slice},
    {Op::pad, pad},
    {Op::add_dependency, add_dependency},
    {Op::reduce_sum, reduce_sum},
    {Op::reduce_max, reduce_extremum},
    {Op::reduce_min, reduce_extremum},
    {Op::reduce_prod, reduce_prod},
    {Op::dot, dot},
    {Op::conv, conv},
    {Op::take_rows, take_rows},
    {Op::scatter_add, scatter_add},
    {Op::scan, scan},
    {Op::take_along_axis, take_along_axis},
    {Op::scatter_reduce, scatter_reduce},
    {Op::dynamic_slice, dynamic_slice},
    {Op::dynamic_update_slice, dynamic_update_slice},
};

struct Index {
  GradientRule rule[ir::op_count]{};
  bool known[ir::op_count]{};
};
constexpr Index make_index() {
  Index index;
  for (const Row& row : table) {
    index.rule[static_cast<int>(row.op)] = row.rule;
    index.known[static_cast<int>(row.op)] = true;
  }
  return index;
}
inline constexpr Index index = make_index();

}  // namespace rules

// The gradient rule of a primitive, null where no gradient flows.
constexpr GradientRule gradient_rule(Op op) { return rules::index.rule[static_cast<int>(op)]; }
// Whether there is one. g++'s undefined behaviour sanitizer refuses to compare functions with null in a
// constant.
constexpr bool has_gradient_rule(Op op) { return rules::index.known[static_cast<int>(op)]; }

}  // namespace WEFT_NAMESPACE::transforms
