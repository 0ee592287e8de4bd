#pragma once
// Pooling of windows that begin at random places, a fraction of an element apart on average (Graham, 2014):
// torch.nn.functional.fractional_max_pool2d and fractional_max_pool3d.

#include "weft/ops/nn/pool_index.hpp"
#include "weft/ops/random/random.hpp"

namespace WEFT_NAMESPACE {

// The result's extents, or the part of the input's that they are, rounded down.
struct FractionalPoolOptions {
  PerAxis output_size = 0;   // extents of the result; this one or the next
  Factors output_ratio = 0;  // extents of the result as shares of the input's, in (0, 1)
};

WEFT_REFUSAL(FractionalPoolFits,
             "fractional_max_pool takes (N, C, ...) or (C, ...) of floats, a window and either an "
             "output_size or an output_ratio, one number or one for each axis, such that output_size + "
             "window - 1 elements are there");
WEFT_REFUSAL(FractionalSamplesFit,
             "fractional_max_pool takes random samples of shape (N, C, axes), floats in [0, 1)");

namespace detail {

template <int Spatial, PerAxis Window, FractionalPoolOptions Options, class X>
struct fractional_rule {
  static constexpr bool ranked = X::rank == Spatial + 1 || X::rank == Spatial + 2;
  static constexpr bool sized = Options.output_size[0] != 0;
  static constexpr bool named =
      ranked && Window.names(Spatial) && Window.at_least(1, Spatial) &&
      sized != (Options.output_ratio[0] != 0) &&
      (sized ? Options.output_size.names(Spatial) : Options.output_ratio.names(Spatial));
  static constexpr i64 batch = X::rank == Spatial + 2 ? X::value.extent[0] : 1;
  static constexpr i64 channels = ranked ? X::value.extent[X::rank - Spatial - 1] : 1;
  static constexpr i64 in(int k) { return X::value.extent[X::rank - Spatial + k]; }
  static constexpr i64 out(int k) {
    return sized ? Options.output_size[k]
                 : static_cast<i64>(static_cast<double>(in(k)) * Options.output_ratio[k]);
  }
  static constexpr bool check() {
    for (int k = 0; named && k < Spatial; ++k)
      if (out(k) < 1 || out(k) + Window[k] - 1 > in(k)) return false;
    return named;
  }
  static constexpr bool ok = check();
  static constexpr Dims make() {
    Dims r = X::value;
    for (int k = 0; ok && k < Spatial; ++k) r.extent[X::rank - Spatial + k] = out(k);
    return r;
  }
  static constexpr Dims value = make();
};

// Where the windows of an axis begin, (M, out), for a random number in [0, 1) a row, (M, 1): PyTorch's
// floor((i + u) a) - floor(u a), the last one at the end of the axis.
constexpr ir::Value fractional_begins(ir::Value u, i64 in, i64 out, i64 window) {
  using ir::Op;
  ir::Builder& b = *u.builder;
  const i64 extents[]{u.dims().extent[0], out};
  const Dims d = ir::make_dims(2, extents);
  const ir::Value i{&b, b.leaf(Op::iota, DType::i32, d, 1)};
  const ir::Value last = ir::constant_like(i, static_cast<double>(in - window));
  if (out == 1) return last;
  const ir::Value ratio =
      ir::constant(b, u.dtype(), d, static_cast<double>(in - window)) / static_cast<double>(out - 1);
  const auto whole = [](ir::Value v) { return ir::cast(v, DType::i32); };
  const ir::Value begin = whole((ir::cast(i, u.dtype()) + u) * ratio) - whole(ir::broadcast(u, d) * ratio);
  return ir::select(ir::binary(Op::lt, i, ir::constant_like(i, static_cast<double>(out - 1))), begin, last);
}

}  // namespace detail

// The places of the greatest elements; samples (N, C, Spatial), of the last axis last.
template <int Spatial, PerAxis Window, FractionalPoolOptions Options>
struct FractionalPlacesOp : Operation<FractionalPlacesOp<Spatial, Window, Options>> {
  template <ExprLike X, ExprLike U>
  static constexpr auto apply(ir::Builder& b, const X& x, const U& samples) {
    using Rule = detail::fractional_rule<Spatial, Window, Options, typename X::shape>;
    constexpr bool floats = is_float(dtype_of<typename X::dtype>);
    static_assert(sizeof(FractionalPoolFits < Rule::ok && floats, FractionalPlacesOp, typename X::shape >) >
                  0);
    constexpr bool sampled = std::is_same_v<typename U::shape, Shape<Rule::batch, Rule::channels, Spatial>> &&
                             is_float(dtype_of<typename U::dtype>);
    static_assert(sizeof(FractionalSamplesFit < sampled || !Rule::ok, FractionalPlacesOp, typename X::shape,
                         typename U::shape >) > 0);
    if constexpr (Rule::ok && floats && sampled) {
      constexpr i64 rows = Rule::batch * Rule::channels;
      Dims d;  // (rows, window..., places...)
      d.rank = 1 + 2 * Spatial;
      d.extent[0] = rows;
      i64 taps = 1, places = 1, plane = 1;
      for (int k = 0; k < Spatial; ++k) {
        taps *= d.extent[1 + k] = Window[k];
        places *= d.extent[1 + Spatial + k] = Rule::out(k);
        plane *= Rule::in(k);
      }
      const i64 each[]{rows, Spatial}, one[]{rows, 1};
      // small floats could not tell the places of a long axis apart
      const ir::Value u =
          ir::reshape(ir::cast(samples.value, dtype_of<opmath<typename U::dtype>>), ir::make_dims(2, each));
      ir::Value at;  // in the flattened axes of x
      for (int k = 0; k < Spatial; ++k) {
        // PyTorch draws for the last axis first in two dimensions, for the first axis first in three
        ir::Slices column;
        column[1].begin = Spatial == 2 ? 1 - k : k;
        const ir::Value begin = detail::fractional_begins(ir::slice(u, column, ir::make_dims(2, one)),
                                                          Rule::in(k), Rule::out(k), Window[k]);
        Dims along = d;
        for (int i = 1; i < d.rank; ++i) along.extent[i] = i == 1 + Spatial + k ? d.extent[i] : 1;
        const ir::Value tap{&b, b.leaf(ir::Op::iota, DType::i32, d, static_cast<u64>(1 + k))};
        const ir::Value here = ir::reshape(begin, along) + tap;
        at = at ? at * static_cast<double>(Rule::in(k)) + here : here;
      }
      const i64 flat[]{rows, plane}, index[]{rows, taps * places}, apart[]{rows, taps, places},
          chosen[]{rows, places};
      at = ir::reshape(at, ir::make_dims(2, index));
      const ir::Value v = ir::take_along_axis(ir::reshape(x.value, ir::make_dims(2, flat)), at, 1);
      const ir::Value which =
          ir::reduce(ir::Op::argmax, ir::reshape(v, ir::make_dims(3, apart)), ir::Axes{2});
      const ir::Value found = ir::take_along_axis(ir::reshape(at, ir::make_dims(3, apart)), which, 1);
      return Expr<i64, shape_of<Rule>>{
          ir::reshape(ir::cast(ir::reshape(found, ir::make_dims(2, chosen)), DType::i64), Rule::value)};
    } else {
      return detail::refused<i64, shape_of<Rule>>(x);
    }
  }
};
// Elements of x at places of its last Spatial axes.
template <int Spatial>
struct AtPlacesOp : Operation<AtPlacesOp<Spatial>> {
  template <ExprLike X, ExprLike I>
  static constexpr auto apply(ir::Builder&, const X& x, const I& places) {
    return Expr<typename X::dtype, typename I::shape>{detail::at_places(x.value, places.value, Spatial)};
  }
};

namespace detail {

template <int Spatial>
struct FractionalSamples : Operation<FractionalSamples<Spatial>> {
  using weft_draws = void;
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X&) {
    constexpr i64 batch = X::rank == Spatial + 2 ? X::shape::value.extent[0] : 1;
    constexpr i64 channels = X::rank > Spatial ? X::shape::value.extent[X::rank - Spatial - 1] : 1;
    return RandOp<opmath<typename X::dtype>, batch, channels, Spatial>::apply(b);
  }
};
template <int Spatial, PerAxis Window, FractionalPoolOptions Options, class X, class U>
constexpr auto fractional_pool(const X& x, const U& samples) {
  const auto places = FractionalPlacesOp<Spatial, Window, Options>{}(x, samples);
  return std::tuple{AtPlacesOp<Spatial>{}(x, places), places};
}

}  // namespace detail

// fractional_max_pool2d<2, FractionalPoolOptions{.output_size = 3}>(x): x (N, C, H, W) or (C, H, W); with
// samples (N, C, 2) of one's own in [0, 1) behind x. With `return_indices` a tuple of elements and places.
template <PerAxis Window, FractionalPoolOptions Options, class X>
constexpr auto fractional_max_pool2d(const X& x) {
  return std::get<0>(detail::fractional_pool<2, Window, Options>(x, detail::FractionalSamples<2>{}(x)));
}
template <PerAxis Window, FractionalPoolOptions Options, class X>
constexpr auto fractional_max_pool2d(const X& x, ReturnIndices) {
  return detail::fractional_pool<2, Window, Options>(x, detail::FractionalSamples<2>{}(x));
}
template <PerAxis Window, FractionalPoolOptions Options, class X, Operand U>
constexpr auto fractional_max_pool2d(const X& x, const U& samples) {
  return std::get<0>(detail::fractional_pool<2, Window, Options>(x, samples));
}
template <PerAxis Window, FractionalPoolOptions Options, class X, Operand U>
constexpr auto fractional_max_pool2d(const X& x, const U& samples, ReturnIndices) {
  return detail::fractional_pool<2, Window, Options>(x, samples);
}
// The same of (N, C, D, H, W) or (C, D, H, W); samples (N, C, 3).
template <PerAxis Window, FractionalPoolOptions Options, class X>
constexpr auto fractional_max_pool3d(const X& x) {
  return std::get<0>(detail::fractional_pool<3, Window, Options>(x, detail::FractionalSamples<3>{}(x)));
}
template <PerAxis Window, FractionalPoolOptions Options, class X>
constexpr auto fractional_max_pool3d(const X& x, ReturnIndices) {
  return detail::fractional_pool<3, Window, Options>(x, detail::FractionalSamples<3>{}(x));
}
template <PerAxis Window, FractionalPoolOptions Options, class X, Operand U>
constexpr auto fractional_max_pool3d(const X& x, const U& samples) {
  return std::get<0>(detail::fractional_pool<3, Window, Options>(x, samples));
}
template <PerAxis Window, FractionalPoolOptions Options, class X, Operand U>
constexpr auto fractional_max_pool3d(const X& x, const U& samples, ReturnIndices) {
  return detail::fractional_pool<3, Window, Options>(x, samples);
}

}  // namespace WEFT_NAMESPACE
