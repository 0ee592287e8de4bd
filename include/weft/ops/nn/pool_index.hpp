#pragma once
// Pooling that says where the greatest elements lie, max_pool2d<2>(x, return_indices), and its partial
// inverse, max_unpool2d. A place counts along the flattened spatial axes, as in PyTorch; of equal elements it
// is the first one's, of several NaN the last one's.

#include "weft/ops/index/scatter.hpp"
#include "weft/ops/nn/adaptive_pool.hpp"

namespace WEFT_NAMESPACE {

struct ReturnIndices {};
inline constexpr ReturnIndices return_indices{};

// Of max_unpool: the window's stride and padding when the input was pooled, and the extents it had then,
// where they are not those that follow from the window.
struct UnpoolOptions {
  PerAxis stride = 0;       // 0: the window's extent
  PerAxis padding = 0;      // elements on each side that the pooling had added
  PerAxis output_size = 0;  // 0: (extent - 1) stride - 2 padding + window
};

WEFT_REFUSAL(UnpoolFits,
             "max_unpool takes (N, C, ...) or (C, ...), places (i32 or i64) of the same shape, and options "
             "of one number or one for each axis, which leave at least one element");

namespace detail {

// A greatest element so far, and its place: -1 where there is none yet.
struct Greatest {
  ir::Value value, place;
  constexpr void take(ir::Value v, ir::Value at) {
    if (!value) {
      value = v, place = at;
      return;
    }
    using ir::Op;
    const auto negative = [](ir::Value p) { return ir::binary(Op::lt, p, ir::constant_like(p, 0)); };
    const ir::Value better = ir::binary(Op::bit_or, ir::binary(Op::lt, value, v),
                                        ir::binary(Op::bit_or, ir::unary(Op::is_nan, v), negative(place)));
    const ir::Value taken = ir::binary(Op::bit_and, better, ir::unary(Op::logical_not, negative(at)));
    value = ir::select(taken, v, value);
    place = ir::select(taken, at, place);
  }
};

// For all elements of x (M, S...): their places in S....
constexpr ir::Value spatial_places(ir::Value x) {
  ir::Builder& b = *x.builder;
  const Dims d = x.dims();
  ir::Value all;
  for (int k = 1; k < d.rank; ++k) {
    const ir::Value along{&b, b.leaf(ir::Op::iota, DType::i64, d, static_cast<u64>(k))};
    all = all ? all * static_cast<double>(d.extent[k]) + along : along;
  }
  return all;
}

// The places of the greatest elements of windows, one axis after another. windows(best, axis) pools an axis.
template <class Windows>
constexpr ir::Value pooled_places(ir::Value x, Windows windows) {
  Greatest best{x, spatial_places(x)};
  for (int axis = x.dims().rank - 1; axis >= 1; --axis) best = windows(best, axis);
  return best.place;
}
constexpr Greatest greatest_in_windows(const Greatest& from, int axis, const PoolAxis& a) {
  i64 widths[2 * max_rank]{};
  widths[2 * axis] = a.low;
  widths[2 * axis + 1] = a.high() > 0 ? a.high() : 0;
  const ir::Value value = ir::pad(from.value, widths, 0), place = ir::pad(from.place, widths, -1);
  const Dims result = ir::with_extent(from.value.dims(), axis, a.out);
  Greatest best;
  for (i64 t = 0; t < a.window; ++t) {
    ir::Slices from_tap;
    from_tap[axis] = {t * a.dilation, a.stride};
    best.take(ir::slice(value, from_tap, result), ir::slice(place, from_tap, result));
  }
  return best;
}
constexpr Greatest greatest_in_parts(const Greatest& from, int axis, i64 out) {
  ir::Builder& b = *from.value.builder;
  const Dims d = from.value.dims();
  const i64 extent = d.extent[axis], places[]{out};
  i64 most = 0;
  for (i64 p = 0; p < out; ++p) {
    const i64 count = adaptive_end(p, extent, out) - adaptive_begin(p, extent, out);
    most = count > most ? count : most;
  }
  const Dims line = ir::make_dims(1, places);
  const auto number = [&](i64 n) { return ir::constant(b, DType::i32, line, static_cast<double>(n)); };
  const ir::Value p{&b, b.leaf(ir::Op::iota, DType::i32, line, 0)};
  const ir::Value begin = p * number(extent) / number(out);
  const ir::Value last = ((p + number(1)) * number(extent) + number(out - 1)) / number(out) - number(1);
  Greatest best;
  for (i64 t = 0; t < most; ++t) {
    const ir::Value at = along(ir::binary(ir::Op::min, begin + number(t), last), d, axis);
    best.take(ir::take_along_axis(from.value, at, axis), ir::take_along_axis(from.place, at, axis));
  }
  return best;
}

// Elements of x (..., S...) at places of its last Spatial axes, as one axis: the gradient goes to those
// alone.
constexpr ir::Value at_places(ir::Value x, ir::Value places, int spatial) {
  const auto flat = [&](const Dims& d) {
    Dims r;
    r.rank = 2;
    r.extent[0] = r.extent[1] = 1;
    for (int k = 0; k < d.rank; ++k) r.extent[k < d.rank - spatial ? 0 : 1] *= d.extent[k];
    return r;
  };
  const ir::Value index = ir::reshape(places, flat(places.dims()));
  return ir::reshape(ir::take_along_axis(ir::reshape(x, flat(x.dims())), index, 1), places.dims());
}

template <int Spatial, PerAxis Window, UnpoolOptions Options, class X>
struct unpool_rule {
  static constexpr bool ranked = X::rank == Spatial + 1 || X::rank == Spatial + 2;
  static constexpr bool named = ranked && Window.names(Spatial) && Options.stride.names(Spatial) &&
                                Options.padding.names(Spatial) && Options.output_size.names(Spatial) &&
                                Window.at_least(1, Spatial) && Options.stride.at_least(0, Spatial) &&
                                Options.padding.at_least(0, Spatial);
  static constexpr i64 extent(int k) {
    if (Options.output_size[k] != 0) return Options.output_size[k];
    const i64 stride = Options.stride[k] == 0 ? Window[k] : Options.stride[k];
    return (X::value.extent[X::rank - Spatial + k] - 1) * stride - 2 * Options.padding[k] + Window[k];
  }
  static constexpr bool check() {
    for (int k = 0; named && k < Spatial; ++k)
      if (extent(k) < 1) return false;
    return named;
  }
  static constexpr bool ok = check();
  static constexpr Dims make() {
    Dims r = X::value;
    for (int k = 0; ok && k < Spatial; ++k) r.extent[r.rank - Spatial + k] = extent(k);
    return r;
  }
  static constexpr Dims value = make();
};

}  // namespace detail

// The places of what MaxPoolOp gives.
template <int Spatial, PerAxis Window, PoolOptions Options>
struct MaxPoolPlacesOp : Operation<MaxPoolPlacesOp<Spatial, Window, Options>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::pool_rule<Spatial, Window, Options, typename X::shape>;
    using S = shape_of<Rule>;
    if constexpr (Rule::ok && is_float(dtype_of<typename X::dtype>))
      return Expr<i64, S>{detail::pooled(x.value, Spatial, S::value, [](ir::Value v) {
        return detail::pooled_places(v, [](const detail::Greatest& best, int axis) {
          return detail::greatest_in_windows(best, axis, Rule::axes.axis[axis - 1]);
        });
      })};
    else
      return detail::refused<i64, S>(x);
  }
};
// The places of what AdaptiveMaxPoolOp gives.
template <int Spatial, PerAxis Out>
struct AdaptiveMaxPoolPlacesOp : Operation<AdaptiveMaxPoolPlacesOp<Spatial, Out>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::adaptive_rule<Spatial, Out, typename X::shape>;
    using S = shape_of<Rule>;
    if constexpr (Rule::ok && is_float(dtype_of<typename X::dtype>))
      return Expr<i64, S>{detail::pooled(x.value, Spatial, S::value, [](ir::Value v) {
        return detail::pooled_places(v, [](const detail::Greatest& best, int axis) {
          return detail::greatest_in_parts(best, axis, Out[axis - 1]);
        });
      })};
    else
      return detail::refused<i64, S>(x);
  }
};

template <int Spatial, PerAxis Window, UnpoolOptions Options>
struct MaxUnpoolOp : Operation<MaxUnpoolOp<Spatial, Window, Options>> {
  template <ExprLike X, ExprLike I>
  static constexpr auto apply(ir::Builder& b, const X& x, const I& places) {
    using Rule = detail::unpool_rule<Spatial, Window, Options, typename X::shape>;
    constexpr bool ok = Rule::ok && std::is_same_v<typename X::shape, typename I::shape> &&
                        is_integer(dtype_of<typename I::dtype>);
    static_assert(sizeof(UnpoolFits<ok, MaxUnpoolOp, typename X::shape, typename I::shape>) > 0);
    using R = Expr<typename X::dtype, shape_of<Rule>>;
    if constexpr (ok) {
      constexpr Dims d = X::shape::value;
      i64 from[2]{1, 1}, to[2]{1, 1};
      for (int k = 0; k < d.rank; ++k) {
        from[k < d.rank - Spatial ? 0 : 1] *= d.extent[k];
        to[k < d.rank - Spatial ? 0 : 1] *= Rule::value.extent[k];
      }
      const Dims rows = ir::make_dims(2, from);
      const ir::Value nothing = ir::constant(b, dtype_of<typename X::dtype>, ir::make_dims(2, to), 0);
      const ir::Value index = ir::reshape(detail::as_index(places.value), rows);
      return R{ir::reshape(detail::scatter_set(nothing, index, ir::reshape(x.value, rows), 1), Rule::value)};
    } else {
      return detail::refused<typename R::dtype, typename R::shape>(x);
    }
  }
};

// max_pool2d<2>(x, return_indices): a tuple of the greatest elements and their places.
template <PerAxis Window, PoolOptions Options = PoolOptions{}, class X>
constexpr auto max_pool1d(const X& x, ReturnIndices) {
  return std::tuple{MaxPoolOp<1, Window, Options>{}(x), MaxPoolPlacesOp<1, Window, Options>{}(x)};
}
template <PerAxis Window, PoolOptions Options = PoolOptions{}, class X>
constexpr auto max_pool2d(const X& x, ReturnIndices) {
  return std::tuple{MaxPoolOp<2, Window, Options>{}(x), MaxPoolPlacesOp<2, Window, Options>{}(x)};
}
template <PerAxis Window, PoolOptions Options = PoolOptions{}, class X>
constexpr auto max_pool3d(const X& x, ReturnIndices) {
  return std::tuple{MaxPoolOp<3, Window, Options>{}(x), MaxPoolPlacesOp<3, Window, Options>{}(x)};
}
template <PerAxis Out, class X>
constexpr auto adaptive_max_pool1d(const X& x, ReturnIndices) {
  return std::tuple{AdaptiveMaxPoolOp<1, Out>{}(x), AdaptiveMaxPoolPlacesOp<1, Out>{}(x)};
}
template <PerAxis Out, class X>
constexpr auto adaptive_max_pool2d(const X& x, ReturnIndices) {
  return std::tuple{AdaptiveMaxPoolOp<2, Out>{}(x), AdaptiveMaxPoolPlacesOp<2, Out>{}(x)};
}
template <PerAxis Out, class X>
constexpr auto adaptive_max_pool3d(const X& x, ReturnIndices) {
  return std::tuple{AdaptiveMaxPoolOp<3, Out>{}(x), AdaptiveMaxPoolPlacesOp<3, Out>{}(x)};
}
// max_unpool2d<2>(x, places): x's elements where they were found, zeros elsewhere; of several for one place
// the last stays, one outside is skipped.
template <PerAxis Window, UnpoolOptions Options = UnpoolOptions{}, class X, class I>
constexpr auto max_unpool1d(const X& x, const I& places) {
  return MaxUnpoolOp<1, Window, Options>{}(x, places);
}
template <PerAxis Window, UnpoolOptions Options = UnpoolOptions{}, class X, class I>
constexpr auto max_unpool2d(const X& x, const I& places) {
  return MaxUnpoolOp<2, Window, Options>{}(x, places);
}
template <PerAxis Window, UnpoolOptions Options = UnpoolOptions{}, class X, class I>
constexpr auto max_unpool3d(const X& x, const I& places) {
  return MaxUnpoolOp<3, Window, Options>{}(x, places);
}

}  // namespace WEFT_NAMESPACE
