#pragma once
// Pooling to a given extent: torch.nn.functional.adaptive_avg_pool2d, adaptive_max_pool2d and their like.
// Place p of P gathers elements [p L / P, ceil((p + 1) L / P)) of L: ordinary windows where P divides L.

#include "weft/ops/nn/axis_weights.hpp"
#include "weft/ops/nn/pool.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

// How many elements there are behind the first axes, which may be empty.
constexpr i64 frame_size(const Dims& d, int first) {
  i64 n = 1;
  for (int k = first; k >= 0 && k < d.rank; ++k) n *= d.extent[k];
  return n;
}

template <int Spatial, PerAxis Out, class X>
struct adaptive_rule {
  static constexpr Dims x = X::value;
  static constexpr bool ok = (x.rank == Spatial + 1 || x.rank == Spatial + 2) && Out.names(Spatial) &&
                             Out.at_least(1, Spatial) && frame_size(x, x.rank - Spatial) > 0;
  static constexpr Dims make() {
    Dims r = x;
    for (int k = 0; ok && k < Spatial; ++k) r.extent[x.rank - Spatial + k] = Out[k];
    return r;
  }
  static constexpr Dims value = make();
  static constexpr bool check_even() {
    for (int k = 0; ok && k < Spatial; ++k)
      if (x.extent[x.rank - Spatial + k] % Out[k] != 0) return false;
    return true;
  }
  static constexpr bool even = check_even();
  static constexpr PerAxis make_window() {
    PerAxis w = 1;
    for (int k = 0; ok && k < Spatial; ++k) w.value[k] = x.extent[x.rank - Spatial + k] / Out[k];
    return w;
  }
  static constexpr PerAxis window = make_window();
};

constexpr i64 adaptive_begin(i64 place, i64 extent, i64 out) { return place * extent / out; }
constexpr i64 adaptive_end(i64 place, i64 extent, i64 out) { return ((place + 1) * extent + out - 1) / out; }

// (out, extent): 1 / count inside the window of each place.
constexpr ir::Value adaptive_weights(ir::Builder& b, DType t, i64 extent, i64 out) {
  using ir::Op;
  const i64 extents[]{out, extent};
  const Dims d = ir::make_dims(2, extents);
  const auto number = [&](i64 v) { return ir::constant(b, DType::i32, d, static_cast<double>(v)); };
  const ir::Value p{&b, b.leaf(Op::iota, DType::i32, d, 0)};
  const ir::Value i{&b, b.leaf(Op::iota, DType::i32, d, 1)};
  const ir::Value begin = p * number(extent) / number(out);
  const ir::Value end = ((p + number(1)) * number(extent) + number(out - 1)) / number(out);
  const ir::Value after = ir::binary(Op::le, begin, i), before = ir::binary(Op::lt, i, end);
  const ir::Value count = ir::cast(end - begin, t);
  return ir::select(ir::binary(Op::bit_and, after, before), 1.0 / count, ir::constant(b, t, d, 0));
}

// The greatest element of every window along one axis; the first of equals.
constexpr ir::Value adaptive_max(ir::Value x, int axis, i64 out) {
  ir::Builder& b = *x.builder;
  const i64 extent = x.dims().extent[axis];
  Dims result = x.dims(), one = result;
  result.extent[axis] = out;
  one.extent[axis] = 1;
  i64 most = 0;
  for (i64 p = 0; p < out; ++p) {
    const i64 count = adaptive_end(p, extent, out) - adaptive_begin(p, extent, out);
    most = count > most ? count : most;
  }
  const ir::Value place{&b, b.leaf(ir::Op::iota, DType::i32, result, static_cast<u64>(axis))};
  ir::Value best;
  for (i64 k = 0; k < most; ++k) {
    // element k of every window, the last again where there are fewer
    ir::Value v;
    for (i64 p = 0; p < out; ++p) {
      i64 at = adaptive_begin(p, extent, out) + k;
      const i64 end = adaptive_end(p, extent, out);
      if (at >= end) at = end - 1;
      ir::Slices from;
      from[axis].begin = at;
      const ir::Value element = ir::broadcast(ir::slice(x, from, one), result);
      v = v ? ir::select(ir::binary(ir::Op::lt, place, ir::constant_like(place, static_cast<double>(p))), v,
                         element)
            : element;
    }
    if (!best) {
      best = v;
      continue;
    }
    const ir::Value greater = ir::binary(ir::Op::lt, best, v);
    const ir::Value unknown = ir::unary(ir::Op::is_nan, v);
    best = ir::select(ir::binary(ir::Op::bit_or, greater, unknown), v, best);
  }
  return best;
}

}  // namespace detail

template <int Spatial, PerAxis Out>
struct AdaptiveAvgPoolOp : Operation<AdaptiveAvgPoolOp<Spatial, Out>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    using Rule = detail::adaptive_rule<Spatial, Out, typename X::shape>;
    using T = typename X::dtype;
    constexpr bool ok = Rule::ok && is_float(dtype_of<T>);
    static_assert(sizeof(PoolFits<ok, AdaptiveAvgPoolOp, typename X::shape>) > 0);
    using S = shape_of<Rule>;
    if constexpr (!ok) {
      return detail::refused<T, S>(x);
    } else if constexpr (Rule::even) {
      return AvgPoolOp<Spatial, Rule::window, PoolOptions{}>::apply(b, x);
    } else {
      constexpr DType wide = size_of(dtype_of<T>) < 4 ? DType::f32 : dtype_of<T>;
      ir::Value v = ir::cast(x.value, wide);
      for (int axis = X::rank - Spatial; axis < X::rank; ++axis)
        v = detail::along_axis(
            v, axis, detail::adaptive_weights(b, wide, Rule::x.extent[axis], S::value.extent[axis]));
      return Expr<T, S>{ir::cast(v, dtype_of<T>)};
    }
  }
};

template <int Spatial, PerAxis Out>
struct AdaptiveMaxPoolOp : Operation<AdaptiveMaxPoolOp<Spatial, Out>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    using Rule = detail::adaptive_rule<Spatial, Out, typename X::shape>;
    using T = typename X::dtype;
    constexpr bool ok = Rule::ok && is_float(dtype_of<T>);
    static_assert(sizeof(PoolFits<ok, AdaptiveMaxPoolOp, typename X::shape>) > 0);
    using S = shape_of<Rule>;
    if constexpr (!ok) {
      return detail::refused<T, S>(x);
    } else if constexpr (Rule::even) {
      return MaxPoolOp<Spatial, Rule::window, PoolOptions{}>::apply(b, x);
    } else {
      ir::Value v = x.value;
      for (int axis = X::rank - 1; axis >= X::rank - Spatial; --axis)
        v = detail::adaptive_max(v, axis, S::value.extent[axis]);
      return Expr<T, S>{v};
    }
  }
};

// adaptive_avg_pool2d<7>(x), adaptive_max_pool2d<PerAxis{7, 5}>(x): x (N, C, ...) or (C, ...), of any
// extents.
template <PerAxis Out, class X>
constexpr auto adaptive_avg_pool1d(const X& x) {
  return AdaptiveAvgPoolOp<1, Out>{}(x);
}
template <PerAxis Out, class X>
constexpr auto adaptive_avg_pool2d(const X& x) {
  return AdaptiveAvgPoolOp<2, Out>{}(x);
}
template <PerAxis Out, class X>
constexpr auto adaptive_avg_pool3d(const X& x) {
  return AdaptiveAvgPoolOp<3, Out>{}(x);
}
template <PerAxis Out, class X>
constexpr auto adaptive_max_pool1d(const X& x) {
  return AdaptiveMaxPoolOp<1, Out>{}(x);
}
template <PerAxis Out, class X>
constexpr auto adaptive_max_pool2d(const X& x) {
  return AdaptiveMaxPoolOp<2, Out>{}(x);
}
template <PerAxis Out, class X>
constexpr auto adaptive_max_pool3d(const X& x) {
  return AdaptiveMaxPoolOp<3, Out>{}(x);
}

}  // namespace WEFT_NAMESPACE
