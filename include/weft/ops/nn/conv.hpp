#pragma once
// Convolutions and transposed convolutions over one, two or three axes: torch.nn.functional.conv2d and its
// like. Options are template arguments; all are one `conv` primitive, or a `dot` where the window is 1.

#include "weft/ir/conv.hpp"
#include "weft/ops/math/pointwise.hpp"
#include "weft/ops/nn/window_options.hpp"
#include "weft/ops/shape/padding.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(ConvOperandsFit,
             "the operands of a convolution do not fit: x is (N, C, ...) or (C, ...), the weights (O, C / "
             "groups, window...), or (C, O / groups, window...) of a transposed one, the bias (O); "
             "permute<0, 3, 1, 2>(x) of images whose channels are last; options are a template argument, "
             "conv2d<ConvOptions{.stride = 2}>(x, w)");
WEFT_REFUSAL(ConvGroupsDivide,
             "the groups of a convolution do not divide its channels and its outputs: both must be multiples "
             "of .groups");
WEFT_REFUSAL(ConvWindowFits,
             "the window of a convolution is larger than the padded input: give ConvOptions{.padding = 1}, "
             "or a smaller window; the operands are the input, then the weight: conv2d(x, weight)");
WEFT_REFUSAL(
    ConvOptionsValid,
    "the options of a convolution: one number or one for each axis, strides, dilations and groups "
    "at least 1, padding not negative, or the words \"valid\" and, with stride 1, \"same\"; reflected and "
    "circular padding no wider than the input, output_padding smaller than the stride or the dilation");

namespace detail {

constexpr bool conv_is_transposed(const ConvOptions&) { return false; }
constexpr bool conv_is_transposed(const ConvTransposeOptions&) { return true; }

// What one axis needs beside the extents.
constexpr ir::ConvAxis conv_axis(const ConvOptions& o, int k, i64 window) {
  ir::ConvAxis a;
  a.stride = o.stride[k];
  a.w_dilation = o.dilation[k];
  a.low = o.padding.same ? a.w_dilation * (window - 1) / 2 : o.padding.width[k];
  a.high = o.padding.same ? a.w_dilation * (window - 1) - a.low : a.low;
  return a;
}
constexpr ir::ConvAxis conv_axis(const ConvTransposeOptions& o, int k, i64 window) {
  ir::ConvAxis a;
  a.x_dilation = o.stride[k];
  a.w_dilation = o.dilation[k];
  a.low = o.dilation[k] * (window - 1) - o.padding[k];
  a.high = a.low + o.output_padding[k];
  return a;
}

constexpr bool conv_options_valid(const ConvOptions& o, int spatial) {
  return o.stride.names(spatial) && o.padding.width.names(spatial) && o.dilation.names(spatial) &&
         o.stride.at_least(1, spatial) && o.dilation.at_least(1, spatial) &&
         o.padding.width.at_least(0, spatial) && o.groups >= 1 &&
         (!o.padding.same || (o.stride.at_least(1, spatial) && o.stride[0] == 1 &&
                              (spatial < 2 || o.stride[1] == 1) && (spatial < 3 || o.stride[2] == 1)));
}
constexpr bool conv_options_valid(const ConvTransposeOptions& o, int spatial) {
  if (!o.stride.names(spatial) || !o.padding.names(spatial) || !o.output_padding.names(spatial) ||
      !o.dilation.names(spatial) || o.groups < 1)
    return false;
  for (int k = 0; k < spatial; ++k) {
    const i64 most = o.stride[k] > o.dilation[k] ? o.stride[k] : o.dilation[k];
    if (o.stride[k] < 1 || o.dilation[k] < 1 || o.padding[k] < 0 || o.output_padding[k] < 0 ||
        o.output_padding[k] >= most)
      return false;
  }
  return true;
}
// Transposed: the options' kind. X (N, C, S...) or (C, S...).
template <int Spatial, auto Options, class X, class W>
struct conv_rule {
  static constexpr bool transposed = conv_is_transposed(Options);
  static constexpr Dims x = X::value, w = W::value;
  static constexpr bool batched = x.rank == Spatial + 2;
  static constexpr bool options = conv_options_valid(Options, Spatial);
  static constexpr bool ranked = (batched || x.rank == Spatial + 1) && w.rank == Spatial + 2;
  static constexpr i64 groups = Options.groups < 1 ? 1 : Options.groups;
  static constexpr i64 batch = ranked && batched ? x.extent[0] : 1;
  static constexpr i64 channels = ranked ? x.extent[batched ? 1 : 0] : 0;
  static constexpr i64 outputs = ranked ? (transposed ? w.extent[1] * groups : w.extent[0]) : 0;
  static constexpr bool divides = !ranked || (channels % groups == 0 && outputs % groups == 0 && outputs > 0);
  static constexpr bool channels_fit =
      ranked && (!divides || (transposed ? w.extent[0] == channels : w.extent[1] == channels / groups));
  static constexpr i64 extent(int k) { return x.extent[x.rank - Spatial + k]; }
  static constexpr bool frames() {
    if constexpr (!transposed)
      for (int k = 0; options && ranked && k < Spatial; ++k) {
        const ir::ConvAxis a = conv_axis(Options, k, w.extent[2 + k]);
        if (!frame_fits(Options.padding_mode, a.low, a.high, extent(k))) return false;
      }
    return true;
  }
  static constexpr bool framed = frames();
  static constexpr bool known = options && framed && ranked && divides && channels_fit;
  // (N, O, P...)
  static constexpr Dims make_full() {
    Dims r;
    r.rank = Spatial + 2;
    r.extent[0] = batch;
    r.extent[1] = outputs;
    for (int k = 0; k < Spatial; ++k)
      r.extent[2 + k] =
          known ? ir::conv_extent(extent(k), w.extent[2 + k], conv_axis(Options, k, w.extent[2 + k])) : 1;
    return r;
  }
  static constexpr Dims full = make_full();
  static constexpr bool fits_window() {
    for (int k = 0; k < Spatial; ++k)
      if (full.extent[2 + k] < 1) return false;
    return true;
  }
  static constexpr bool fits = !known || fits_window();
  static constexpr bool ok = known && fits;
  static constexpr Dims make() {
    Dims r = full;
    if (batched) return r;
    r.rank = 0;
    for (int k = 1; k < full.rank; ++k) r.extent[r.rank++] = full.extent[k];
    r.extent[r.rank] = 0;
    return r;
  }
  static constexpr Dims value = make();
};

// x (N, C, S...), w (O, C / groups, K...) -> (N, O, P...)
constexpr ir::Value conv_value(ir::Value x, ir::Value w, const ir::ConvAxes& axes, i64 groups, DType result) {
  const Dims dx = x.dims(), dw = w.dims();
  const int spatial = axes.spatial;
  const i64 batch = dx.extent[0], channels = dx.extent[1] / groups, outputs = dw.extent[0] / groups;
  bool plain = true;
  for (int k = 0; k < spatial; ++k) {
    const ir::ConvAxis& a = axes.axis[k];
    plain = plain && dw.extent[2 + k] == 1 && a.stride == 1 && a.x_dilation == 1 && a.low == 0 && a.high == 0;
  }
  if (plain) {
    // every place by itself: a product of each image with the weights
    i64 places = 1;
    for (int k = 0; k < spatial; ++k) places *= dx.extent[2 + k];
    const i64 image[]{batch, groups, channels, places}, window[]{groups, outputs, channels},
        windows[]{batch, groups, outputs, channels};
    const ir::Value images = ir::reshape(x, ir::make_dims(4, image));
    const ir::Value weights =
        ir::broadcast(ir::reshape(w, ir::make_dims(3, window)), ir::make_dims(4, windows));
    ir::DotAxes product;
    product.batch = 2;
    product.batch_a[1] = product.batch_b[1] = 1;
    product.contracted = 1;
    product.contracted_a[0] = 3;
    product.contracted_b[0] = 2;
    Dims to = dx;
    to.extent[1] = dw.extent[0];
    return ir::reshape(ir::dot(weights, images, product, result), to);
  }
  Dims grouped, weights;
  grouped.rank = weights.rank = spatial + 3;
  i64 order[8]{1, 0, 2, 3, 4, 5, 6, 7};
  for (int k = 0; k < spatial; ++k) {
    grouped.extent[3 + k] = dx.extent[2 + k];
    weights.extent[3 + k] = dw.extent[2 + k];
  }
  grouped.extent[0] = batch, grouped.extent[1] = groups, grouped.extent[2] = channels;
  weights.extent[0] = groups, weights.extent[1] = outputs, weights.extent[2] = channels;
  ir::ConvAxes lying = axes;
  lying.order[0] = 1, lying.order[1] = 0;  // (N, G, O, P...)
  const ir::Value images = ir::permute(ir::reshape(x, grouped), order);
  const ir::Value y = ir::conv(images, ir::reshape(w, weights), lying, result);
  Dims to = dx;
  to.extent[1] = dw.extent[0];
  for (int k = 0; k < spatial; ++k) to.extent[2 + k] = y.dims().extent[3 + k];
  return ir::reshape(y, to);
}

// w (C, O / groups, K...) of a transposed convolution as (O, C / groups, K...) turned round.
constexpr ir::Value conv_transposed_weights(ir::Value w, i64 groups) {
  const Dims d = w.dims();
  Dims grouped, together = d;
  grouped.rank = d.rank + 1;
  grouped.extent[0] = groups;
  grouped.extent[1] = d.extent[0] / groups;
  for (int k = 1; k < d.rank; ++k) grouped.extent[1 + k] = d.extent[k];
  together.extent[0] = d.extent[1] * groups;
  together.extent[1] = d.extent[0] / groups;
  ir::Slices turn;
  i64 order[8]{0, 2, 1, 3, 4, 5, 6, 7};
  for (int k = 3; k < grouped.rank; ++k) turn[k] = {grouped.extent[k] - 1, -1};
  return ir::reshape(ir::permute(ir::slice(ir::reshape(w, grouped), turn, grouped), order), together);
}

}  // namespace detail

// Options: a ConvOptions, or a ConvTransposeOptions for the transposed kind.
template <int Spatial, auto Options>
struct ConvOp : Operation<ConvOp<Spatial, Options>> {
  template <ExprLike X, ExprLike W>
  static constexpr auto apply(ir::Builder&, const X& x, const W& w) {
    using Rule = detail::conv_rule<Spatial, Options, typename X::shape, typename W::shape>;
    static_assert(sizeof(ConvOptionsValid < Rule::options && Rule::framed, ConvOp, typename X::shape,
                         typename W::shape >) > 0);
    static_assert(sizeof(ConvGroupsDivide<Rule::divides, ConvOp, typename X::shape, typename W::shape>) > 0);
    static_assert(sizeof(ConvOperandsFit<Rule::channels_fit, ConvOp, typename X::shape, typename W::shape>) >
                  0);
    static_assert(sizeof(ConvWindowFits<Rule::fits, ConvOp, typename X::shape, typename W::shape>) > 0);
    using T = promoted<typename X::dtype, typename W::dtype>;
    static_assert(sizeof(DtypeAllowed<is_float(dtype_of<T>), ConvOp, typename X::dtype, typename W::dtype>) >
                  0);
    using S = shape_of<Rule>;
    if constexpr (Rule::ok && is_float(dtype_of<T>)) {
      Dims full = Rule::full;
      full.extent[1] = Rule::channels;
      ir::ConvAxes axes;
      axes.spatial = Spatial;
      for (int k = 0; k < Spatial; ++k) {
        axes.axis[k] = detail::conv_axis(Options, k, Rule::w.extent[2 + k]);
        full.extent[2 + k] = Rule::extent(k);
      }
      ir::Value images = ir::reshape(ir::cast(x.value, dtype_of<T>), full);
      ir::Value weights = ir::cast(w.value, dtype_of<T>);
      if constexpr (Rule::transposed) {
        weights = detail::conv_transposed_weights(weights, Rule::groups);
      } else if constexpr (Options.padding_mode != PaddingMode::zeros) {
        for (int k = 0; k < Spatial; ++k) {
          ir::ConvAxis& a = axes.axis[k];
          if (a.low + a.high > 0) images = detail::framed(images, 2 + k, a.low, a.high, Options.padding_mode);
          a.low = a.high = 0;
        }
      }
      return Expr<T, S>{
          ir::reshape(detail::conv_value(images, weights, axes, Rule::groups, dtype_of<T>), S::value)};
    } else {
      return detail::refused<T, S>(x, w);
    }
  }
  template <ExprLike X, ExprLike W, ExprLike B>
  static constexpr auto apply(ir::Builder& builder, const X& x, const W& w, const B& bias) {
    const auto y = apply(builder, x, w);
    using Y = std::remove_cvref_t<decltype(y)>;
    using Rule = detail::conv_rule<Spatial, Options, typename X::shape, typename W::shape>;
    constexpr bool ok = !Rule::ok || (B::rank == 1 && B::shape::size == Rule::outputs);
    static_assert(sizeof(ConvOperandsFit<ok, ConvOp, typename X::shape, typename B::shape>) > 0);
    using T = promoted<typename Y::dtype, typename B::dtype>;
    if constexpr (Rule::ok && ok) {
      Dims along;
      along.rank = Spatial + 1;
      for (int k = 0; k <= Spatial; ++k) along.extent[k] = k == 0 ? Rule::outputs : 1;
      const ir::Value shift = ir::reshape(ir::cast(bias.value, dtype_of<T>), along);
      return Expr<T, typename Y::shape>{ir::binary(ir::Op::add, ir::cast(y.value, dtype_of<T>), shift)};
    } else {
      return detail::refused<T, typename Y::shape>(y, bias);
    }
  }
};

// conv2d<ConvOptions{.stride = 2, .padding = 1}>(x, weight, bias): x (N, C, H, W) or (C, H, W), weight (O, C
// / groups, kh, kw), bias (O) if any.
template <ConvOptions Options = ConvOptions{}, class... A>
constexpr auto conv1d(const A&... x_weight_then_bias) {
  return ConvOp<1, Options>{}(x_weight_then_bias...);
}
template <ConvOptions Options = ConvOptions{}, class... A>
constexpr auto conv2d(const A&... x_weight_then_bias) {
  return ConvOp<2, Options>{}(x_weight_then_bias...);
}
template <ConvOptions Options = ConvOptions{}, class... A>
constexpr auto conv3d(const A&... x_weight_then_bias) {
  return ConvOp<3, Options>{}(x_weight_then_bias...);
}
// weight (C, O / groups, kh, kw)
template <ConvTransposeOptions Options = ConvTransposeOptions{}, class... A>
constexpr auto conv_transpose1d(const A&... x_weight_then_bias) {
  return ConvOp<1, Options>{}(x_weight_then_bias...);
}
template <ConvTransposeOptions Options = ConvTransposeOptions{}, class... A>
constexpr auto conv_transpose2d(const A&... x_weight_then_bias) {
  return ConvOp<2, Options>{}(x_weight_then_bias...);
}
template <ConvTransposeOptions Options = ConvTransposeOptions{}, class... A>
constexpr auto conv_transpose3d(const A&... x_weight_then_bias) {
  return ConvOp<3, Options>{}(x_weight_then_bias...);
}

}  // namespace WEFT_NAMESPACE
