#pragma once
// Resizing of spatial axes: torch.nn.functional.interpolate. Whole factors of the nearest mode are a view;
// everything else is a product with a small matrix of weights along each axis, whose transpose is the
// gradient.

#include "weft/ops/pointwise.hpp"
#include "weft/ops/window_options.hpp"

namespace weft {

template <bool Ok, class Op, class... Shapes>
struct InterpolateFits {
  static_assert(Ok,
                "interpolate takes (N, C, ...) of floats with one to three more axes and either a size or a "
                "scale_factor, one number or one for each of those axes, at least 1");
};

namespace detail {

template <InterpolateOptions Options, class X>
struct interpolate_rule {
  static constexpr Dims x = X::value;
  static constexpr int spatial = x.rank - 2;
  static constexpr bool sized = Options.size[0] != 0;
  static constexpr PerAxis given = sized ? Options.size : Options.scale_factor;
  static constexpr bool ok =
      spatial >= 1 && spatial <= 3 && x.size() > 0 &&
      sized != (Options.scale_factor[0] != 0) && given.names(spatial) && given.at_least(1, spatial);
  static constexpr Dims make() {
    Dims r = x;
    for (int k = 0; ok && k < spatial; ++k) r.extent[2 + k] = sized ? given[k] : given[k] * x.extent[2 + k];
    return r;
  }
  static constexpr Dims value = make();
};

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

// (to, from): the weight of every element of an axis in every place of the result, as PyTorch computes it.
constexpr ir::Value interpolation_weights(ir::Builder& b, DType t, i64 from, i64 to, Interpolation mode,
                                          bool align_corners) {
  using ir::Op;
  const i64 extents[]{to, from};
  const Dims d = ir::make_dims(2, extents);
  const auto along = [&](u64 axis) {
    const ir::Value place{&b, b.leaf(Op::iota, DType::i32, d, axis)};
    return ir::cast(place, t);
  };
  const auto number = [&](i64 v) { return ir::constant(b, t, d, static_cast<double>(v)); };
  const ir::Value p = along(0), i = along(1);
  const double ratio = static_cast<double>(from) / static_cast<double>(to);
  if (mode == Interpolation::nearest) {
    const ir::Value source = ir::binary(Op::min, ir::unary(Op::floor, p * ratio), number(from - 1));
    return ir::cast(ir::binary(Op::eq, i, source), t);
  }
  ir::Value source = p;
  if (align_corners)
    source = p * (to > 1 ? static_cast<double>(from - 1) / static_cast<double>(to - 1) : 0);
  else
    source = ir::binary(Op::max, (p + 0.5) * ratio - 0.5, number(0));
  const ir::Value first = ir::binary(Op::min, ir::unary(Op::floor, source), number(from - 1));
  const ir::Value second = ir::binary(Op::min, first + 1.0, number(from - 1));
  const ir::Value share = source - first, none = number(0);
  return ir::select(ir::binary(Op::eq, i, first), 1.0 - share, none) +
         ir::select(ir::binary(Op::eq, i, second), share, none);
}

}  // namespace detail

template <InterpolateOptions Options>
struct Interpolate : Operation<Interpolate<Options>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    using Rule = detail::interpolate_rule<Options, typename X::shape>;
    using T = typename X::dtype;
    constexpr bool ok = Rule::ok && is_float(dtype_of<T>);
    static_assert(sizeof(InterpolateFits<ok, Interpolate, typename X::shape>) > 0);
    using S = shape_of<Rule>;
    if constexpr (ok) {
      constexpr bool nearest = Options.mode == Interpolation::nearest;
      constexpr DType wide = size_of(dtype_of<T>) < 4 ? DType::f32 : dtype_of<T>;
      ir::Value v = x.value;
      for (int k = 0; k < Rule::spatial; ++k) {
        const i64 from = Rule::x.extent[2 + k], to = S::value.extent[2 + k];
        const Dims d = v.dims();
        if (from == to) continue;
        if (nearest && to % from == 0) {
          // (in front, the axis, times, behind)
          Dims apart, result = d;
          apart.rank = 4;
          apart.extent[0] = apart.extent[1] = apart.extent[2] = apart.extent[3] = 1;
          for (int a = 0; a < d.rank; ++a) apart.extent[a < 2 + k ? 0 : a == 2 + k ? 1 : 3] *= d.extent[a];
          v = ir::reshape(v, apart);
          apart.extent[2] = to / from;
          result.extent[2 + k] = to;
          v = ir::reshape(ir::broadcast(v, apart), result);
        } else {
          v = detail::along_axis(
              ir::cast(v, wide), 2 + k,
              detail::interpolation_weights(b, wide, from, to, Options.mode, Options.align_corners));
        }
      }
      return Expr<T, S>{ir::cast(v, dtype_of<T>)};
    } else {
      return detail::refused<T, S>(x);
    }
  }
};

// interpolate<InterpolateOptions{.scale_factor = 2, .mode = Interpolation::linear}>(x): x (N, C, ...).
template <InterpolateOptions Options, class X>
constexpr auto interpolate(const X& x) {
  return Interpolate<Options>{}(x);
}

}  // namespace weft
