#pragma once
// Pooling over one, two or three axes: torch.nn.functional.max_pool2d, avg_pool2d and their like. Windows are
// strided views that are compared or added element by element; gradients reach the first greatest element of
// a window, as PyTorch's do.

#include <limits>

#include "weft/ir/conv.hpp"
#include "weft/ops/math/pointwise.hpp"
#include "weft/ops/nn/window_options.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(PoolFits,
             "pooling takes (N, C, ...) or (C, ...) of floats and a window that fits: one number or one for "
             "each axis, at least 1, padding at most half the window, no result without an element: give a "
             "smaller window or PoolOptions{.padding = 1}");

namespace detail {

// One axis of a pooling: windows of `window` elements, `dilation` apart, begin every `stride` elements from
// -low; `reach`: the elements a window spans.
struct PoolAxis {
  i64 extent = 1, window = 1, stride = 1, low = 0, dilation = 1, out = 1;
  constexpr i64 reach() const { return (window - 1) * dilation + 1; }
  // padding (or, negative, cropping) behind x that the windows need
  constexpr i64 high() const { return (out - 1) * stride + reach() - extent - low; }
  // windows of `stride` that one window lies in
  constexpr i64 overlap() const { return (reach() + stride - 1) / stride; }
};

constexpr PoolAxis pool_axis(i64 extent, i64 window, const PoolOptions& o, int k) {
  PoolAxis a;
  a.extent = extent;
  a.window = window;
  a.stride = o.stride[k] == 0 ? window : o.stride[k];
  a.low = o.padding[k];
  a.dilation = o.dilation[k];
  const i64 room = extent + 2 * a.low - a.reach();
  if (room < 0 || a.stride < 1) {
    a.out = 0;
    return a;
  }
  a.out = (room + (o.ceil_mode ? a.stride - 1 : 0)) / a.stride + 1;
  // the last window begins inside x or the padding before it
  if (o.ceil_mode && (a.out - 1) * a.stride >= extent + a.low) --a.out;
  return a;
}

template <int Spatial, PerAxis Window, PoolOptions Options, class X>
struct pool_rule {
  static constexpr Dims x = X::value;
  static constexpr bool batched = x.rank == Spatial + 2;
  static constexpr bool ranked = batched || x.rank == Spatial + 1;
  static constexpr bool named = Window.names(Spatial) && Options.stride.names(Spatial) &&
                                Options.padding.names(Spatial) && Options.dilation.names(Spatial) &&
                                Window.at_least(1, Spatial) && Options.stride.at_least(0, Spatial) &&
                                Options.padding.at_least(0, Spatial) && Options.dilation.at_least(1, Spatial);
  struct Axes {
    PoolAxis axis[3];
  };
  static constexpr Axes make_axes() {
    Axes made;
    for (int k = 0; ranked && named && k < Spatial; ++k)
      made.axis[k] = pool_axis(x.extent[x.rank - Spatial + k], Window[k], Options, k);
    return made;
  }
  static constexpr Axes axes = make_axes();
  static constexpr bool check() {
    if (!ranked || !named) return false;
    for (int k = 0; k < Spatial; ++k)
      if (axes.axis[k].out < 1 || 2 * axes.axis[k].low > axes.axis[k].window) return false;
    return true;
  }
  static constexpr bool ok = check();
  static constexpr Dims make() {
    Dims r = x;
    for (int k = 0; ok && k < Spatial; ++k) r.extent[r.rank - Spatial + k] = axes.axis[k].out;
    return r;
  }
  static constexpr Dims value = make();
};

// x (M, S...) with every axis as (windows, stride): (M, windows, stride, ...); `windows` counts those that
// overlap the last result's, too.
constexpr ir::Value pool_strided(ir::Value x, const PoolAxis* axes, int spatial, double fill) {
  i64 widths[2 * max_rank]{};
  Dims split;
  split.rank = 1 + 2 * spatial;
  split.extent[0] = x.dims().extent[0];
  for (int k = 0; k < spatial; ++k) {
    const PoolAxis& a = axes[k];
    const i64 windows = a.out + a.overlap() - 1;
    widths[2 * (1 + k)] = a.low;
    widths[2 * (1 + k) + 1] = windows * a.stride - a.extent - a.low;
    split.extent[1 + 2 * k] = windows;
    split.extent[2 + 2 * k] = a.stride;
  }
  return ir::reshape(ir::pad(x, widths, fill), split);
}

// Calls f(offset of the tap along each axis, x's elements there (M, P...)) for every tap of the window.
template <class F>
constexpr void pool_taps(ir::Value x, const PoolAxis* axes, int spatial, double fill, F f) {
  i64 widths[2 * max_rank]{};
  Dims result = x.dims();
  i64 taps = 1;
  for (int k = 0; k < spatial; ++k) {
    widths[2 * (1 + k)] = axes[k].low;
    widths[2 * (1 + k) + 1] = axes[k].high() > 0 ? axes[k].high() : 0;
    result.extent[1 + k] = axes[k].out;
    taps *= axes[k].window;
  }
  const ir::Value wide = ir::pad(x, widths, fill);
  for (i64 t = 0; t < taps; ++t) {
    i64 rest = t, offset[3]{};
    ir::Slices from;
    for (int k = spatial - 1; k >= 0; --k) {
      offset[k] = rest % axes[k].window * axes[k].dilation;
      rest /= axes[k].window;
      from[1 + k] = {offset[k], axes[k].stride};
    }
    f(offset, ir::slice(wide, from, result));
  }
}

// All named axes at once: x (M, S...) -> (M, P...).
constexpr ir::Value max_pool_value(ir::Value x, const PoolAxis* axes, int spatial) {
  ir::Builder& b = *x.builder;
  // a place in the window as one number, of offsets along the axes
  i64 base[3]{}, all = 1;
  for (int k = spatial - 1; k >= 0; --k) {
    base[k] = all;
    all *= axes[k].overlap() * axes[k].stride;
  }
  ir::Value best, place;
  pool_taps(x, axes, spatial, -std::numeric_limits<double>::infinity(), [&](const i64* offset, ir::Value v) {
    i64 number = 0;
    for (int k = 0; k < spatial; ++k) number += offset[k] * base[k];
    const ir::Value here = ir::constant(b, DType::i32, v.dims(), static_cast<double>(number));
    if (!best) {
      best = v;
      place = here;
      return;
    }
    const ir::Value greater = ir::binary(ir::Op::lt, best, v);
    const ir::Value unknown = ir::unary(ir::Op::is_nan, v);
    place = ir::select(ir::binary(ir::Op::bit_or, greater, unknown), here, place);
    best = ir::binary(ir::Op::max, best, v);
  });
  // The same written as a sum of x's elements, each counted where it is the window's greatest: its gradient
  // is one pass over x without a comparison of values.
  const ir::Value parts = pool_strided(x, axes, spatial, 0);
  const Dims d = parts.dims();
  Dims inner = d;
  ir::Axes summed = 0;
  i64 blocks = 1;
  for (int k = 0; k < spatial; ++k) {
    inner.extent[1 + 2 * k] = 1;
    summed |= 1u << (2 + 2 * k);
    blocks *= axes[k].overlap();
  }
  inner.extent[0] = 1;
  ir::Value model;
  for (i64 n = 0; n < blocks; ++n) {
    i64 rest = n, widths[2 * max_rank]{}, first = 0;
    ir::Slices from;
    Dims apart = d, result = best.dims();
    ir::Value inside = ir::constant(b, DType::i32, inner, 0);
    for (int k = spatial - 1; k >= 0; --k) {
      const i64 block = rest % axes[k].overlap();
      rest /= axes[k].overlap();
      widths[2 * (1 + k)] = block;
      widths[2 * (1 + k) + 1] = axes[k].overlap() - 1 - block;
      from[1 + k].begin = block;
      first += block * axes[k].stride * base[k];
      apart.extent[2 + 2 * k] = 1;
      const ir::Value along{&b, b.leaf(ir::Op::iota, DType::i32, inner, static_cast<u64>(2 + 2 * k))};
      inside = inside + along * static_cast<double>(base[k]);
    }
    const ir::Value chosen = ir::reshape(ir::pad(place, widths, -1), apart);
    const ir::Value hit = ir::binary(ir::Op::eq, ir::broadcast(chosen, d),
                                     ir::broadcast(inside + static_cast<double>(first), d));
    const ir::Value counted = ir::select(hit, parts, ir::constant_like(parts, 0));
    Dims windows = result;
    for (int k = 0; k < spatial; ++k) windows.extent[1 + k] = d.extent[1 + 2 * k];
    const ir::Value sums = ir::reshape(ir::reduce(ir::Op::reduce_sum, counted, summed), windows);
    const ir::Value part = ir::slice(sums, from, result);
    model = model ? model + part : part;
  }
  return ir::surrogate(best, model);
}

// x (M, S...) -> (M, P...), sums of windows.
constexpr ir::Value sum_pool_value(ir::Value x, const PoolAxis* axes, int spatial) {
  ir::Builder& b = *x.builder;
  i64 taps = 1, places = 1;
  bool apart = true, whole = true;
  for (int k = 0; k < spatial; ++k) {
    taps *= axes[k].window;
    places *= axes[k].out;
    apart = apart && axes[k].stride == axes[k].window;
    whole = whole && axes[k].low == 0 && axes[k].high() == 0;
  }
  Dims result = x.dims();
  for (int k = 0; k < spatial; ++k) result.extent[1 + k] = axes[k].out;
  if (places == 1 && whole)
    return ir::reduce(ir::Op::reduce_sum, x, ir::all_axes(spatial + 1) & ~ir::Axes{1});
  if (apart) {
    ir::Axes summed = 0;
    for (int k = 0; k < spatial; ++k) summed |= 1u << (2 + 2 * k);
    const ir::Value parts = pool_strided(x, axes, spatial, 0);
    const ir::Value sums = ir::reshape(ir::reduce(ir::Op::reduce_sum, parts, summed), result);
    if (taps > 16) return sums;
    ir::Value total;
    const DType wide = ir::reduction_dtype(x.dtype());
    pool_taps(x, axes, spatial, 0, [&](const i64*, ir::Value v) {
      v = ir::cast(v, wide);
      total = total ? total + v : v;
    });
    return ir::surrogate(ir::cast(total, x.dtype()), sums);
  }
  // windows that overlap: a convolution with ones
  Dims images, ones;
  ir::ConvAxes conv;
  images.rank = ones.rank = 3 + spatial;
  conv.spatial = spatial;
  images.extent[0] = images.extent[2] = ones.extent[0] = ones.extent[1] = ones.extent[2] = 1;
  images.extent[1] = x.dims().extent[0];
  for (int k = 0; k < spatial; ++k) {
    images.extent[3 + k] = axes[k].extent;
    ones.extent[3 + k] = axes[k].window;
    conv.axis[k] = {axes[k].stride, axes[k].low, axes[k].high(), 1, 1};
  }
  const ir::Value y = ir::conv(ir::reshape(x, images), ir::constant(b, x.dtype(), ones, 1), conv, x.dtype());
  return ir::reshape(y, result);
}

// How many elements the windows of an axis hold, for every place (P): clipped to the padded extent, or to x.
constexpr i64 pool_count(const PoolAxis& a, i64 place, bool padded) {
  i64 begin = place * a.stride - a.low, end = begin + a.window;
  if (end > a.extent + a.low) end = a.extent + a.low;
  if (!padded) {
    if (begin < 0) begin = 0;
    if (end > a.extent) end = a.extent;
  }
  return end - begin;
}
constexpr ir::Value pool_counts(ir::Builder& b, DType t, const PoolAxis* axes, int spatial, bool padded) {
  Dims d;
  d.rank = 1 + spatial;
  d.extent[0] = 1;
  for (int k = 0; k < spatial; ++k) d.extent[1 + k] = axes[k].out;
  ir::Value product = ir::constant(b, DType::i32, d, 1);
  for (int k = 0; k < spatial; ++k) {
    const PoolAxis& a = axes[k];
    bool equal = true;
    for (i64 p = 1; p < a.out; ++p) equal = equal && pool_count(a, p, padded) == pool_count(a, 0, padded);
    if (equal) {
      const ir::Value count = ir::constant(b, DType::i32, d, static_cast<double>(pool_count(a, 0, padded)));
      product = product.is(1) ? count : product * count;
      continue;
    }
    const auto number = [&](i64 n) { return ir::constant(b, DType::i32, d, static_cast<double>(n)); };
    const ir::Value place{&b, b.leaf(ir::Op::iota, DType::i32, d, static_cast<u64>(1 + k))};
    ir::Value begin = place * number(a.stride) - number(a.low);
    ir::Value end = ir::binary(ir::Op::min, begin + number(a.window), number(a.extent + a.low));
    if (!padded) {
      begin = ir::binary(ir::Op::max, begin, number(0));
      end = ir::binary(ir::Op::min, end, number(a.extent));
    }
    product = product.is(1) ? end - begin : product * (end - begin);
  }
  return ir::cast(product, t);
}

// Applies f to x with all axes before the last `spatial` as one.
template <class F>
constexpr ir::Value pooled(ir::Value x, int spatial, const Dims& result, F f) {
  const Dims d = x.dims();
  Dims flat;
  flat.rank = 1 + spatial;
  flat.extent[0] = 1;
  for (int k = 0; k < d.rank - spatial; ++k) flat.extent[0] *= d.extent[k];
  for (int k = 0; k < spatial; ++k) flat.extent[1 + k] = d.extent[d.rank - spatial + k];
  return ir::reshape(f(ir::reshape(x, flat)), result);
}

}  // namespace detail

// max_pool2d<2>(x), max_pool2d<PerAxis{3, 2}, PoolOptions{.stride = 2, .padding = 1}>(x).
template <int Spatial, PerAxis Window, PoolOptions Options>
struct MaxPoolOp : Operation<MaxPoolOp<Spatial, Window, Options>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::pool_rule<Spatial, Window, Options, typename X::shape>;
    using T = typename X::dtype;
    constexpr bool ok = Rule::ok && is_float(dtype_of<T>);
    static_assert(sizeof(PoolFits<ok, MaxPoolOp, typename X::shape>) > 0);
    using S = shape_of<Rule>;
    if constexpr (ok)
      return Expr<T, S>{detail::pooled(x.value, Spatial, S::value, [](ir::Value v) {
        i64 taps = 1;
        for (int k = 0; k < Spatial; ++k) taps *= Rule::axes.axis[k].window;
        if (taps <= 9) return detail::max_pool_value(v, Rule::axes.axis, Spatial);
        // large windows one axis after another: the sum of their extents, not the product
        detail::PoolAxis axes[3];
        for (int k = 0; k < Spatial; ++k) axes[k].extent = axes[k].out = Rule::axes.axis[k].extent;
        for (int k = Spatial - 1; k >= 0; --k) {
          axes[k] = Rule::axes.axis[k];
          v = detail::max_pool_value(v, axes, Spatial);
          axes[k] = {};
          axes[k].extent = axes[k].out = Rule::axes.axis[k].out;
        }
        return v;
      })};
    else
      return detail::refused<T, S>(x);
  }
};

template <int Spatial, PerAxis Window, PoolOptions Options>
struct AvgPoolOp : Operation<AvgPoolOp<Spatial, Window, Options>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    using Rule = detail::pool_rule<Spatial, Window, Options, typename X::shape>;
    using T = typename X::dtype;
    constexpr bool ok = Rule::ok && is_float(dtype_of<T>) && Options.dilation == PerAxis(1);
    static_assert(sizeof(PoolFits<ok, AvgPoolOp, typename X::shape>) > 0);
    using S = shape_of<Rule>;
    if constexpr (ok)
      return Expr<T, S>{detail::pooled(x.value, Spatial, S::value, [&](ir::Value v) {
        const ir::Value sums = detail::sum_pool_value(v, Rule::axes.axis, Spatial);
        if (Options.divisor_override != 0) return sums / static_cast<double>(Options.divisor_override);
        return sums /
               detail::pool_counts(b, dtype_of<T>, Rule::axes.axis, Spatial, Options.count_include_pad);
      })};
    else
      return detail::refused<T, S>(x);
  }
};

// x (N, C, ...) or (C, ...); the stride is the window's extent unless PoolOptions says otherwise.
template <PerAxis Window, PoolOptions Options = PoolOptions{}, class X>
constexpr auto max_pool1d(const X& x) {
  return MaxPoolOp<1, Window, Options>{}(x);
}
template <PerAxis Window, PoolOptions Options = PoolOptions{}, class X>
constexpr auto max_pool2d(const X& x) {
  return MaxPoolOp<2, Window, Options>{}(x);
}
template <PerAxis Window, PoolOptions Options = PoolOptions{}, class X>
constexpr auto max_pool3d(const X& x) {
  return MaxPoolOp<3, Window, Options>{}(x);
}
template <PerAxis Window, PoolOptions Options = PoolOptions{}, class X>
constexpr auto avg_pool1d(const X& x) {
  return AvgPoolOp<1, Window, Options>{}(x);
}
template <PerAxis Window, PoolOptions Options = PoolOptions{}, class X>
constexpr auto avg_pool2d(const X& x) {
  return AvgPoolOp<2, Window, Options>{}(x);
}
template <PerAxis Window, PoolOptions Options = PoolOptions{}, class X>
constexpr auto avg_pool3d(const X& x) {
  return AvgPoolOp<3, Window, Options>{}(x);
}

}  // namespace WEFT_NAMESPACE
