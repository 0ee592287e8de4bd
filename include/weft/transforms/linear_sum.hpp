#pragma once
// The sum that is a broadcast's gradient, by the linearity of sums: factors that are the same for all that is
// summed come out of it, and what has lost its mean adds nothing. So the gradients of a normalisation share
// their sums, and none goes once more over its rows for a term that is zero. Law: only exact identities of
// real numbers, in f32 and f64. Sums that a program writes itself stay as they are written.

#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::transforms {

using ir::Op;
using ir::Value;

namespace detail {

// Of a sum over `axes` of values of shape `from`: those of more than one element, and their product.
struct SummedAxes {
  Dims from;
  ir::Axes work = 0;
  i64 count = 1;
  constexpr SummedAxes(const Dims& dims, ir::Axes axes) : from(dims) {
    for (int i = 0; i < dims.rank; ++i)
      if (axes >> i & 1u && dims.extent[i] != 1) work |= 1u << i, count *= dims.extent[i];
  }
};

// What v, the same along all summed axes, is broadcast from; empty if it is not.
constexpr Value along(Value v, const SummedAxes& axes) {
  if (v.op() != Op::broadcast) return {};
  const Value source = v.in(0);
  const Dims d = source.dims();
  const int lead = axes.from.rank - d.rank;
  for (int i = lead; i < axes.from.rank; ++i)
    if (axes.work >> i & 1u && d.extent[i - lead] != 1) return {};
  return source;
}

// Whether m is the mean of f over the summed axes, kept.
constexpr bool is_mean(Value m, Value f, const SummedAxes& axes) {
  if (m.op() != Op::mul) return false;
  const bool first = m.in(0).is_constant();
  const Value share = m.in(first ? 0 : 1);
  if (!share.is_constant()) return false;
  const double exact = 1.0 / static_cast<double>(axes.count);
  if (m.dtype() == DType::f32 ? static_cast<float>(share.constant()) != static_cast<float>(exact)
                              : share.constant() != exact)
    return false;
  ir::Axes summed = 0;
  Value s = m.in(first ? 1 : 0);
  for (; s.op() == Op::reduce_sum; s = s.in(0)) {  // a sum may be one of sums
    const ir::Graph& g = s.builder->graph;
    for (int i = 0; i < g.attributes(s.id); ++i) summed |= 1u << g.attribute(s.id, i);
    if (s.in(0).id == f.id) return summed == axes.work;
  }
  return false;
}

// Whether v is what is left of a value without its mean.
constexpr bool is_centred(Value v, const SummedAxes& axes) {
  if (v.op() != Op::sub) return false;
  const Value m = along(v.in(1), axes);
  return m && is_mean(m, v.in(0), axes);
}

// Whether v's sum is zero whatever the values. `depth` bounds the search.
constexpr bool sums_to_zero(Value v, const SummedAxes& axes, int depth = 6) {
  if (v.is(0)) return true;
  if (depth == 0) return false;
  switch (v.op()) {
    case Op::neg:
      return sums_to_zero(v.in(0), axes, depth - 1);
    case Op::mul: {
      const Value a = v.in(0), b = v.in(1);
      if (a.is_constant() || along(a, axes)) return sums_to_zero(b, axes, depth - 1);
      return (b.is_constant() || along(b, axes)) && sums_to_zero(a, axes, depth - 1);
    }
    case Op::add:
    case Op::sub:
      if (is_centred(v, axes)) return true;
      if (!sums_to_zero(v.in(0), axes, depth - 1)) return false;
      return v.in(0).id == v.in(1).id || sums_to_zero(v.in(1), axes, depth - 1);
    default:
      return false;
  }
}

// The factors of a product: what comes out of the sum, multiplied; and what stays, in the order of the nodes.
struct SummedProduct {
  static constexpr int most = 6;
  int kept[most]{};
  int count = 0, visited = 0;
  Value outside{};

  // Whether all of v could be taken up.
  constexpr bool take(Value v, const SummedAxes& axes) {
    if (++visited > 4 * most) return false;  // each gradient of a long product would multiply all the others
    if (v.op() == Op::mul) return take(v.in(0), axes) && take(v.in(1), axes);
    if (const Value source = along(v, axes)) {
      outside = outside ? outside * source : source;
      return true;
    }
    if (count == most) return false;
    int at = count++;
    for (; at > 0 && kept[at - 1] > v.id; --at) kept[at] = kept[at - 1];
    kept[at] = v.id;
    return true;
  }
};

}  // namespace detail

// The sum of x over `axes`, which stay with extent 1.
constexpr Value linear_sum(Value x, ir::Axes axes) {
  const detail::SummedAxes summed(x.dims(), axes);
  const auto plain = [&] { return ir::reduce(Op::reduce_sum, x, axes); };
  if (summed.work == 0 || (x.dtype() != DType::f32 && x.dtype() != DType::f64)) return plain();
  switch (x.op()) {
    case Op::neg:
      return -linear_sum(x.in(0), axes);
    case Op::add:
    case Op::sub: {
      const Value a = x.in(0), b = x.in(1);
      const bool a_is_zero = detail::sums_to_zero(a, summed);
      const bool b_is_zero = a.id == b.id ? a_is_zero : detail::sums_to_zero(b, summed);
      if ((a_is_zero && b_is_zero) || detail::is_centred(x, summed))
        return ir::constant(*x.builder, x.dtype(), ir::reduced(x.dims(), summed.work), 0);
      if (b_is_zero) return linear_sum(a, axes);
      if (!a_is_zero) return plain();
      return x.op() == Op::add ? linear_sum(b, axes) : -linear_sum(b, axes);
    }
    case Op::mul: {
      detail::SummedProduct product;
      if (!product.take(x, summed) || !product.outside || product.count == 0) return plain();
      Value inside{x.builder, product.kept[0]};
      for (int k = 1; k < product.count; ++k) inside = inside * Value{x.builder, product.kept[k]};
      return product.outside * linear_sum(inside, axes);
    }
    default:
      return plain();
  }
}

// x summed down to the shape `to`, which broadcasts to x's: the gradient of broadcast.
constexpr Value linear_sum_to(Value x, Dims to) {
  const Dims from = x.dims();
  return ir::reshape(linear_sum(x, ir::stretched(from, to)), to);
}

}  // namespace WEFT_NAMESPACE::transforms
