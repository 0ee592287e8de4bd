#pragma once
// Resizing of spatial axes, one after another: torch.nn.functional.interpolate, to any extent. Nearest modes
// repeat (whole factors: a view) or gather; linear and cubic ones are a product with a matrix of weights,
// where a NaN or an infinity therefore reaches every place of its axis.

#include "weft/ops/index/gather.hpp"
#include "weft/ops/math/pointwise.hpp"
#include "weft/ops/nn/adaptive_pool.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(InterpolateFits,
             "interpolate takes (N, C, ...) of floats with one to three more axes and either a size or a "
             "scale_factor, one number or one for each of those axes, that leave at least one element; "
             "align_corners and antialias are for linear and cubic, recompute_scale_factor for factors");

namespace detail {

template <InterpolateOptions Options, class X>
struct interpolate_rule {
  static constexpr Dims x = X::value;
  static constexpr int spatial = x.rank - 2;
  static constexpr bool sized = Options.size[0] != 0;
  static constexpr bool weighted =
      Options.mode == Interpolation::linear || Options.mode == Interpolation::cubic;
  static constexpr bool named = spatial >= 1 && spatial <= 3 && frame_size(x, 2) > 0 &&
                                sized != (Options.scale_factor[0] != 0) &&
                                (sized ? Options.size.names(spatial) : Options.scale_factor.names(spatial)) &&
                                (weighted || (!Options.align_corners && !Options.antialias)) &&
                                !(sized && Options.recompute_scale_factor);
  static constexpr i64 extent(int k) {
    const double grown = Options.scale_factor[k] * static_cast<double>(x.extent[2 + k]);
    return sized ? Options.size[k] : grown >= 1 && grown < 1e15 ? static_cast<i64>(grown) : 0;
  }
  static constexpr bool check() {
    for (int k = 0; named && k < spatial; ++k)
      if (extent(k) < 1) return false;
    return named;
  }
  static constexpr bool ok = check();
  static constexpr Dims make() {
    Dims r = x;
    for (int k = 0; ok && k < spatial; ++k) r.extent[2 + k] = extent(k);
    return r;
  }
  static constexpr Dims value = make();
  static constexpr PerAxis make_out() {
    PerAxis all = 1;
    all.count = spatial;
    for (int k = 0; ok && k < spatial; ++k) all.value[k] = value.extent[2 + k];
    return all;
  }
  static constexpr PerAxis out = make_out();
};

// How places of a resized axis lie in the axis: place p at (p + 0.5) ratio - 0.5, or at p ratio.
struct ResizedAxis {
  i64 from = 1, to = 1;
  double ratio = 1;
  bool whole = true;  // the ratio is from / to
};
template <InterpolateOptions Options, class Rule>
constexpr ResizedAxis resized_axis(int k) {
  ResizedAxis a;
  a.from = Rule::x.extent[2 + k];
  a.to = Rule::value.extent[2 + k];
  const double from = static_cast<double>(a.from), to = static_cast<double>(a.to);
  a.whole = Rule::sized || Options.recompute_scale_factor || Options.scale_factor[k] * from == to;
  if (Options.align_corners)
    a.ratio = a.to > 1 ? (from - 1) / (to - 1) : 0;
  else
    a.ratio = a.whole ? from / to : 1 / Options.scale_factor[k];
  return a;
}

// x's axis, each element `times` times in a row: a view.
constexpr ir::Value repeated(ir::Value x, int axis, i64 times) {
  Dims apart, result = x.dims();  // (in front, the axis, times, behind)
  apart.rank = 4;
  apart.extent[0] = apart.extent[1] = apart.extent[2] = apart.extent[3] = 1;
  for (int a = 0; a < result.rank; ++a) apart.extent[a < axis ? 0 : a == axis ? 1 : 3] *= result.extent[a];
  x = ir::reshape(x, apart);
  apart.extent[2] = times;
  result.extent[axis] *= times;
  return ir::reshape(ir::broadcast(x, apart), result);
}

// x's axis at floor(p ratio), or floor((p + 0.5) ratio) if `exact`.
constexpr ir::Value nearest_elements(ir::Value x, int axis, const ResizedAxis& a, bool exact) {
  using ir::Op;
  if (a.whole && a.to % a.from == 0) return repeated(x, axis, a.to / a.from);
  ir::Builder& b = *x.builder;
  const DType t = x.dtype() == DType::f64 ? DType::f64 : DType::f32;
  const i64 extents[]{a.to};
  const ir::Value counted{&b, b.leaf(Op::iota, DType::i32, ir::make_dims(1, extents), 0)};
  ir::Value place = ir::cast(counted, t);
  if (exact) place = place + 0.5;
  const ir::Value last = ir::constant_like(counted, static_cast<double>(a.from - 1));
  const ir::Value source =
      ir::binary(Op::min, ir::cast(ir::unary(Op::floor, place * a.ratio), DType::i32), last);
  return ir::take_along_axis(x, along(source, x.dims(), axis), axis);
}

// A weight at a distance from 0 to 2: the cubic convolution of Keys (1981) with parameter a.
constexpr ir::Value cubic_weight(ir::Value d, double a) {
  // in factors: the powers of d cancel
  const ir::Value near = (1.0 - d) * (d - d * d * (a + 2) + 1.0);
  const ir::Value far = (d - 1.0) * ((d - 2.0) * (d - 2.0)) * a;
  return ir::select(ir::binary(ir::Op::le, d, ir::constant_like(d, 1)), near, far);
}

// The elements that a place of the result is made of, by their places in the axis, and their weights.
struct InterpolationTaps {
  ir::Value at[4], weight[4];
  int count = 0;
};
// Those of places p, whole numbers in the dtype that is worked in, as PyTorch computes them.
constexpr InterpolationTaps interpolation_taps(ir::Value p, const ResizedAxis& a,
                                               const InterpolateOptions& options) {
  using ir::Op;
  const ir::Value lowest = ir::constant_like(p, 0),
                  highest = ir::constant_like(p, static_cast<double>(a.from - 1));
  const bool cubic = options.mode == Interpolation::cubic;
  // whole numbers first: one rounding
  const auto in_axis = [&](const ir::Value& place) {
    if (options.align_corners && a.to > 1)
      return place * static_cast<double>(a.from - 1) / static_cast<double>(a.to - 1);
    if (!options.align_corners && a.whole)
      return place * static_cast<double>(a.from) / static_cast<double>(a.to);
    return place * a.ratio;
  };
  ir::Value source = options.align_corners ? in_axis(p) : in_axis(p + 0.5) - 0.5;
  if (!cubic) source = ir::binary(Op::max, source, lowest);
  const ir::Value first = ir::binary(Op::min, ir::unary(Op::floor, source), highest);
  const ir::Value share = source - first;
  InterpolationTaps taps;
  // the element `step` after the first, or the last one on that side
  const auto tap = [&](double step, const ir::Value& weight) {
    taps.at[taps.count] = ir::binary(Op::max, ir::binary(Op::min, first + step, highest), lowest);
    taps.weight[taps.count++] = weight;
  };
  if (cubic) tap(-1, cubic_weight(share + 1.0, -0.75));
  tap(0, cubic ? cubic_weight(share, -0.75) : 1.0 - share);
  tap(1, cubic ? cubic_weight(1.0 - share, -0.75) : share);
  if (cubic) tap(2, cubic_weight(2.0 - share, -0.75));
  return taps;
}

// (to, from): the weight of every element of an axis in every place of the result.
constexpr ir::Value interpolation_weights(ir::Builder& b, DType t, const ResizedAxis& a,
                                          const InterpolateOptions& options) {
  using ir::Op;
  const i64 extents[]{a.to, a.from};
  const Dims d = ir::make_dims(2, extents);
  const auto along = [&](u64 axis) {
    const ir::Value place{&b, b.leaf(Op::iota, DType::i32, d, axis)};
    return ir::cast(place, t);
  };
  const auto number = [&](double v) { return ir::constant(b, t, d, v); };
  const ir::Value p = along(0), i = along(1), none = number(0);
  const bool cubic = options.mode == Interpolation::cubic;
  if (options.antialias) {
    const double step = a.ratio > 1 ? a.ratio : 1;
    const ir::Value centre = (p + 0.5) * a.ratio;
    const ir::Value far = ir::unary(Op::abs, (i - centre + 0.5) / step);
    const ir::Value weight = cubic ? cubic_weight(far, -0.5) : 1.0 - far;
    const ir::Value inside = ir::binary(Op::lt, far, number(cubic ? 2 : 1));
    const ir::Value kept = ir::select(inside, weight, none);
    return kept /
           ir::broadcast(ir::reshape(ir::reduce(Op::reduce_sum, kept, 2u), ir::with_extent(d, 1, 1)), d);
  }
  const InterpolationTaps taps = interpolation_taps(p, a, options);
  ir::Value sum;
  for (int k = 0; k < taps.count; ++k) {
    const ir::Value here = ir::select(ir::binary(Op::eq, i, taps.at[k]), taps.weight[k], none);
    sum = k == 0 ? here : sum + here;
  }
  return sum;
}

// A product with the weights does work for every element of the axis; of longer axes the few that count are
// picked.
inline constexpr i64 longest_weighed_axis = 96;
constexpr ir::Value interpolated(ir::Value x, int axis, const ResizedAxis& a,
                                 const InterpolateOptions& options) {
  ir::Builder& b = *x.builder;
  if (options.antialias || a.from <= longest_weighed_axis)
    return along_axis(x, axis, interpolation_weights(b, x.dtype(), a, options));
  const i64 extents[]{a.to};
  const ir::Value place{&b, b.leaf(ir::Op::iota, DType::i32, ir::make_dims(1, extents), 0)};
  const InterpolationTaps taps = interpolation_taps(ir::cast(place, x.dtype()), a, options);
  ir::Value sum;
  for (int k = 0; k < taps.count; ++k) {
    const ir::Value index = along(ir::cast(taps.at[k], DType::i32), x.dims(), axis);
    const ir::Value here = ir::take_along_axis(x, index, axis) * along(taps.weight[k], x.dims(), axis);
    sum = k == 0 ? here : sum + here;
  }
  return sum;
}

}  // namespace detail

template <InterpolateOptions Options>
struct InterpolateOp : Operation<InterpolateOp<Options>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    using Rule = detail::interpolate_rule<Options, typename X::shape>;
    using T = typename X::dtype;
    constexpr bool ok = Rule::ok && is_float(dtype_of<T>);
    static_assert(sizeof(InterpolateFits<ok, InterpolateOp, typename X::shape>) > 0);
    using S = shape_of<Rule>;
    if constexpr (!ok) {
      return detail::refused<T, S>(x);
    } else if constexpr (Options.mode == Interpolation::area) {
      return AdaptiveAvgPoolOp<Rule::spatial, Rule::out>::apply(b, x);
    } else {
      constexpr bool exact = Options.mode == Interpolation::nearest_exact;
      constexpr DType wide = Rule::weighted ? dtype_of<opmath<T>> : dtype_of<T>;
      ir::Value v = ir::cast(x.value, wide);
      for (int k = 0; k < Rule::spatial; ++k) {
        const detail::ResizedAxis a = detail::resized_axis<Options, Rule>(k);
        const bool stays =
            a.from == a.to && (a.ratio == 1 || Options.mode == Interpolation::linear || Options.antialias);
        if (stays) continue;
        if (Rule::weighted)
          v = detail::interpolated(v, 2 + k, a, Options);
        else
          v = detail::nearest_elements(v, 2 + k, a, exact);
      }
      return Expr<T, S>{ir::cast(v, dtype_of<T>)};
    }
  }
};

// interpolate<InterpolateOptions{.scale_factor = 1.5, .mode = Interpolation::linear}>(x): x (N, C, ...).
template <InterpolateOptions Options, class X>
constexpr auto interpolate(const X& x) {
  return InterpolateOp<Options>{}(x);
}

}  // namespace WEFT_NAMESPACE
