#pragma once
// An image read at places of one's own: torch.nn.functional.grid_sample, and affine_grid, which makes such
// places. All taps of all places are one gather; gradients reach the image and the places.

#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/nn/interpolate.hpp"

namespace WEFT_NAMESPACE {

// What lies outside the image: zeros, its edge, or the image mirrored.
enum class GridPadding : u8 { zeros, border, reflection };

// Of grid_sample, in PyTorch's order. Linear stands for its bilinear (and trilinear), cubic for bicubic.
struct GridSampleOptions {
  Word<Interpolation> mode = Interpolation::linear;     // between elements: linear, nearest or cubic
  Word<GridPadding> padding_mode = GridPadding::zeros;  // what places outside the image read
  bool align_corners = false;  // -1 and 1 are the centres of the outermost elements, not their outer edges
};

WEFT_REFUSAL(
    GridFits,
    "grid_sample takes (N, C, H, W) with places (N, h, w, 2), or (N, C, D, H, W) with (N, d, h, w, 3), "
    "of floats, without an empty axis of the image");
WEFT_REFUSAL(GridModeKnown, "grid_sample has the modes nearest, linear and, of two axes, cubic");
WEFT_REFUSAL(ThetaFits,
             "affine_grid<N, C, H, W>(theta) takes (N, 2, 3), affine_grid<N, C, D, H, W> takes (N, 3, 4)");

namespace detail {

template <class X, class G>
struct grid_rule {
  static constexpr int spatial = X::rank - 2;
  static constexpr bool check() {
    if ((spatial != 2 && spatial != 3) || G::rank != X::rank || G::value.extent[0] != X::value.extent[0] ||
        G::value.extent[G::rank - 1] != spatial)
      return false;
    for (int k = 0; k < spatial; ++k)
      if (X::value.extent[2 + k] == 0) return false;
    return true;
  }
  static constexpr bool ok = check();
  static constexpr Dims make() {
    Dims r = X::value;
    for (int k = 0; ok && k < spatial; ++k) r.extent[2 + k] = G::value.extent[1 + k];
    return r;
  }
  static constexpr Dims value = make();
};

// Places along one axis of `extent` elements, from coordinates in [-1, 1].
constexpr ir::Value grid_place(ir::Value c, i64 extent, bool align_corners) {
  const double n = static_cast<double>(extent);
  return align_corners ? (c + 1.0) / 2 * (n - 1) : ((c + 1.0) * n - 1.0) / 2;
}
// The same inside the image. At the ends the gradient is 0, as PyTorch's.
constexpr ir::Value inside_image(ir::Value p, i64 extent, const GridSampleOptions& o) {
  using ir::Op;
  if (o.padding_mode == GridPadding::zeros) return p;
  const auto number = [&](double v) { return ir::constant_like(p, v); };
  if (o.padding_mode == GridPadding::reflection) {
    const double low = o.align_corners ? 0 : -0.5;
    const double span = static_cast<double>(extent) - (o.align_corners ? 1 : 0);
    if (span == 0) return number(0);
    ir::Value in = p - low;
    in = ir::select(ir::binary(Op::lt, in, number(0)), -in, in);
    const ir::Value extra = ir::binary(Op::fmod, in, number(span));
    const ir::Value flips = ir::binary(Op::fmod, ir::unary(Op::floor, in / span), number(2));
    p = ir::select(ir::binary(Op::eq, flips, number(0)), extra + low, (span + low) - extra);
  }
  const ir::Value last = number(static_cast<double>(extent - 1));
  p = ir::select(ir::binary(Op::le, p, number(0)), number(0), p);
  return ir::select(ir::binary(Op::le, last, p), last, p);
}

// What one axis gives to each tap of each place: (N, taps, places).
struct GridTaps {
  ir::Value index, weight, inside;
};
constexpr GridTaps grid_taps(ir::Value c, i64 extent, const GridSampleOptions& o) {
  using ir::Op;
  ir::Builder& b = *c.builder;
  const bool cubic = o.mode == Interpolation::cubic, nearest = o.mode == Interpolation::nearest;
  const auto number = [&](double v) { return ir::constant_like(c, v); };
  c = ir::select(ir::unary(Op::is_nan, c), number(-1), c);  // as PyTorch's documentation has it
  c = grid_place(c, extent, o.align_corners);
  const double far = static_cast<double>(extent) + 3;
  if (o.padding_mode == GridPadding::zeros) {  // nothing lies beyond, and integers must hold the places
    c = ir::select(ir::binary(Op::lt, c, number(-4)), number(-4), c);
    c = ir::select(ir::binary(Op::lt, number(far), c), number(far), c);
  }
  if (!cubic) c = inside_image(c, extent, o);
  const ir::Value base = ir::unary(nearest ? Op::round : Op::floor, c);
  const Dims d = ir::with_extent(c.dims(), 1, cubic ? 4 : nearest ? 1 : 2);
  const ir::Value counted{&b, b.leaf(Op::iota, DType::i32, d, 1)};
  const ir::Value offset = cubic ? ir::cast(counted, c.dtype()) - 1.0 : ir::cast(counted, c.dtype());
  ir::Value place = ir::broadcast(base, d) + offset;
  if (cubic) place = inside_image(place, extent, o);
  const ir::Value none = ir::constant_like(place, 0),
                  last = ir::constant_like(place, static_cast<double>(extent - 1));
  GridTaps taps;
  taps.inside = ir::binary(Op::bit_and, ir::binary(Op::le, none, place), ir::binary(Op::le, place, last));
  taps.index = ir::cast(ir::select(taps.inside, place, none), DType::i32);
  if (nearest) return taps;
  const ir::Value share = c - base;
  if (cubic) {
    const ir::Value away = ir::broadcast(share, d) - offset;
    taps.weight = cubic_weight(ir::select(ir::binary(Op::lt, away, none), -away, away), -0.75);
  } else {
    const ir::Value first = ir::binary(Op::eq, counted, ir::constant_like(counted, 0));
    taps.weight = ir::select(first, base + 1.0 - c, share);
  }
  return taps;
}

// -1 ... 1 in n steps, of elements' centres or of their outer edges.
constexpr ir::Value grid_line(ir::Builder& b, DType t, i64 n, bool align_corners) {
  const i64 extents[]{n};
  const Dims d = ir::make_dims(1, extents);
  if (n <= 1) return ir::constant(b, t, d, 0);
  const ir::Value i{&b, b.leaf(ir::Op::iota, DType::i32, d, 0)};
  const double steps = static_cast<double>(n - 1), whole = static_cast<double>(align_corners ? n - 1 : n);
  return (ir::cast(i, t) * 2.0 - steps) / whole;
}

}  // namespace detail

template <GridSampleOptions Options>
struct GridSampleOp : Operation<GridSampleOp<Options>> {
  template <ExprLike X, ExprLike G>
  static constexpr auto apply(ir::Builder& b, const X& x, const G& grid) {
    using Rule = detail::grid_rule<typename X::shape, typename G::shape>;
    using T = promoted<typename X::dtype, typename G::dtype>;
    constexpr bool ok = Rule::ok && is_float(dtype_of<T>);
    static_assert(sizeof(GridFits<ok, GridSampleOp, typename X::shape, typename G::shape>) > 0);
    constexpr bool known = Options.mode == Interpolation::nearest || Options.mode == Interpolation::linear ||
                           (Options.mode == Interpolation::cubic && Rule::spatial <= 2);
    static_assert(sizeof(GridModeKnown < known || !ok, GridSampleOp, typename X::shape >) > 0);
    using R = Expr<T, shape_of<Rule>>;
    if constexpr (!ok || !known) {
      return detail::refused<T, typename R::shape>(x, grid);
    } else if constexpr (R::size == 0) {
      return R{ir::constant(b, dtype_of<T>, Rule::value, 0)};
    } else {
      constexpr DType wide = dtype_of<opmath<T>>;
      constexpr int spatial = Rule::spatial;
      constexpr Dims d = X::shape::value;
      i64 places = 1, plane = 1, taps = 1;
      for (int k = 0; k < spatial; ++k) places *= G::shape::value.extent[1 + k], plane *= d.extent[2 + k];
      const i64 flat[]{d.extent[0], places, spatial}, line[]{d.extent[0], 1, places};
      const ir::Value g = ir::reshape(ir::cast(grid.value, wide), ir::make_dims(3, flat));
      detail::GridTaps all;
      for (int k = 0; k < spatial; ++k) {  // coordinates name the last axis first
        ir::Slices column;
        column[2].begin = spatial - 1 - k;
        const i64 one[]{d.extent[0], places, 1};
        const ir::Value c = ir::reshape(ir::slice(g, column, ir::make_dims(3, one)), ir::make_dims(3, line));
        const i64 extent = d.extent[2 + k];
        const detail::GridTaps own = detail::grid_taps(c, extent, Options);
        if (k == 0) {
          all = own;
          taps = own.index.dims().extent[1];
          continue;
        }
        // (N, taps so far, taps of this axis, places) -> (N, taps, places)
        const i64 more = own.index.dims().extent[1];
        const i64 before[]{d.extent[0], taps, 1, places}, here[]{d.extent[0], 1, more, places},
            joined[]{d.extent[0], taps * more, places};
        const auto rows = [&](ir::Value v) { return ir::reshape(v, ir::make_dims(4, before)); };
        const auto columns = [&](ir::Value v) { return ir::reshape(v, ir::make_dims(4, here)); };
        const auto both = [&](ir::Value v) { return ir::reshape(v, ir::make_dims(3, joined)); };
        all.index = both(rows(all.index) * static_cast<double>(extent) + columns(own.index));
        all.inside = both(ir::binary(ir::Op::bit_and, rows(all.inside), columns(own.inside)));
        if (own.weight) all.weight = both(rows(all.weight) * columns(own.weight));
        taps *= more;
      }
      const i64 images[]{d.extent[0], d.extent[1], plane}, index[]{d.extent[0], 1, taps * places},
          spread[]{d.extent[0], d.extent[1], taps * places}, apart[]{d.extent[0], d.extent[1], taps, places},
          shared[]{d.extent[0], 1, taps, places};
      const ir::Value v = ir::reshape(
          ir::take_along_axis(
              ir::reshape(ir::cast(x.value, wide), ir::make_dims(3, images)),
              ir::broadcast(ir::reshape(all.index, ir::make_dims(3, index)), ir::make_dims(3, spread)), 2),
          ir::make_dims(4, apart));
      const ir::Value inside = ir::reshape(all.inside, ir::make_dims(4, shared));
      const ir::Value weighed =
          all.weight ? v * ir::broadcast(ir::reshape(all.weight, ir::make_dims(4, shared)), v.dims()) : v;
      const ir::Value counted = ir::select(inside, weighed, ir::constant_like(v, 0));
      const ir::Value sums = ir::reduce(ir::Op::reduce_sum, counted, ir::Axes{4});
      return R{ir::reshape(ir::cast(sums, dtype_of<T>), Rule::value)};
    }
  }
};

template <bool AlignCorners, i64... Size>
struct AffineGridOp : Operation<AffineGridOp<AlignCorners, Size...>> {
  static constexpr int spatial = static_cast<int>(sizeof...(Size)) - 2;
  struct Rule {
    static constexpr Dims make() {
      const i64 size[]{Size..., 0, 0};
      Dims r;
      r.extent[r.rank++] = size[0];
      for (int k = 0; k < spatial; ++k) r.extent[r.rank++] = size[2 + k];
      r.extent[r.rank++] = spatial;
      return r;
    }
    static constexpr Dims value = make();
  };
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& theta) {
    using T = typename X::dtype;
    constexpr bool ok = (spatial == 2 || spatial == 3) && is_float(dtype_of<T>) &&
                        X::shape::value == Shape<Rule::value.extent[0], spatial, spatial + 1>::value;
    static_assert(sizeof(ThetaFits<ok, AffineGridOp, typename X::shape, Shape<Size...>>) > 0);
    using R = Expr<T, shape_of<Rule>>;
    if constexpr (ok) {
      constexpr Dims to = Rule::value;
      ir::Value sum;
      for (int k = 0; k <= spatial; ++k) {
        ir::Slices column;
        column[2].begin = k;
        const i64 one[]{to.extent[0], spatial, 1};
        Dims factor = to;
        for (int i = 1; i <= spatial; ++i) factor.extent[i] = 1;
        const ir::Value t = ir::reshape(ir::slice(theta.value, column, ir::make_dims(3, one)), factor);
        if (k == spatial) {
          sum = sum + ir::broadcast(t, to);
          continue;
        }
        const int axis = spatial - k;  // the last spatial axis is x
        Dims along = to;
        for (int i = 0; i < to.rank; ++i) along.extent[i] = i == axis ? to.extent[i] : 1;
        const ir::Value line =
            ir::reshape(detail::grid_line(b, dtype_of<T>, to.extent[axis], AlignCorners), along);
        const ir::Value part = ir::broadcast(t, to) * ir::broadcast(line, to);
        sum = sum ? sum + part : part;
      }
      return R{sum};
    } else {
      return detail::refused<T, typename R::shape>(theta);
    }
  }
};

struct AlignCorners {};
inline constexpr AlignCorners align_corners{};

// grid_sample<GridSampleOptions{.padding_mode = GridPadding::border}>(x, grid): x (N, C, H, W), grid (N, h,
// w, 2) of (x, y) in [-1, 1] -> (N, C, h, w); (N, C, D, H, W) with (N, d, h, w, 3) alike. NaN is -1.
template <GridSampleOptions Options = GridSampleOptions{}, class X, class G>
constexpr auto grid_sample(const X& x, const G& grid) {
  return GridSampleOp<Options>{}(x, grid);
}
// affine_grid<N, C, H, W>(theta), theta (N, 2, 3) -> (N, H, W, 2); affine_grid<N, C, D, H, W>(theta), theta
// (N, 3, 4). With `align_corners`, -1 and 1 are the centres of the outermost elements.
template <i64... Size, class X>
constexpr auto affine_grid(const X& theta) {
  return AffineGridOp<false, Size...>{}(theta);
}
template <i64... Size, class X>
constexpr auto affine_grid(const X& theta, AlignCorners) {
  return AffineGridOp<true, Size...>{}(theta);
}

}  // namespace WEFT_NAMESPACE
