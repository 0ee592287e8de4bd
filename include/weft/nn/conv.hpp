#pragma once
// Convolutional layers with PyTorch's names, layouts and starting values. The window and the options are
// template arguments: nn::Conv2d<3, 64, 3>, nn::Conv2d<3, 64, PerAxis{3, 5}, nn::ConvOptions{.padding =
// "same"}>.

#include "weft/nn/param.hpp"
#include "weft/ops/nn/conv.hpp"

namespace WEFT_NAMESPACE::nn {

using weft::ConvOptions;
using weft::ConvTransposeOptions;
using weft::PaddingMode;
using weft::PerAxis;

namespace module_detail {

template <int Spatial, i64 First, i64 Second, PerAxis Window>
struct conv_weight_rule {
  static constexpr Dims make() {
    Dims d;
    d.rank = 2 + Spatial;
    d.extent[0] = First;
    d.extent[1] = Second;
    for (int k = 0; k < Spatial; ++k) d.extent[2 + k] = Window[k];
    return d;
  }
  static constexpr Dims value = make();
};
constexpr i64 divided(i64 a, i64 b) { return b < 1 || a / b < 1 ? 1 : a / b; }

template <int Spatial, i64 In, i64 Out, PerAxis Window, auto Options>
struct conv_layer {
  static constexpr bool transposed = weft::detail::conv_is_transposed(Options);
  static_assert(sizeof(ConvGroupsDivide < Options.groups >= 1 &&
                           In % (Options.groups < 1 ? 1 : Options.groups) == 0 &&
                           Out % (Options.groups < 1 ? 1 : Options.groups) == 0,
                       conv_layer >) > 0);
  using weight = shape_of<conv_weight_rule<Spatial, transposed ? In : Out,
                                           divided(transposed ? Out : In, Options.groups), Window>>;
  static constexpr i64 find_fan_in() { return static_cast<i64>(init::fans(weight::value).in); }
  static constexpr i64 fan_in = find_fan_in();
};

}  // namespace module_detail

// x (N, In, ...) or (In, ...) -> (N, Out, ...) or (Out, ...), started as PyTorch's. weight (Out, In / groups,
// Window...); of a transposed convolution (In, Out / groups, Window...). bias (Out).
template <int Spatial, i64 In, i64 Out, PerAxis Window, auto Options, bool Bias = Options.bias>
struct Conv {
  using T = ctype<Options.dtype>;
  using layer = module_detail::conv_layer<Spatial, In, Out, Window, Options>;
  Param<T, typename layer::weight, init::FanInUniform<>> weight{};
  Param<T, Shape<Out>, init::FanInUniform<layer::fan_in>> bias{};
  WEFT_NO_STRIDE
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return weft::ConvOp<Spatial, Options>{}(x, weight, bias); }
};
template <int Spatial, i64 In, i64 Out, PerAxis Window, auto Options>
struct Conv<Spatial, In, Out, Window, Options, false> {
  using T = ctype<Options.dtype>;
  using layer = module_detail::conv_layer<Spatial, In, Out, Window, Options>;
  Param<T, typename layer::weight, init::FanInUniform<>> weight{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return weft::ConvOp<Spatial, Options>{}(x, weight); }
};
template <int Spatial, i64 In, i64 Out, PerAxis Window, auto Options, bool Bias>
requires(Window == PerAxis(not_given)) struct Conv<Spatial, In, Out, Window, Options, Bias>
    : WithoutSizes<spelled::Conv2d, GivenSize<In>> {
};

WEFT_REFUSAL(WindowNamesAxes,
             "a convolution's window is one number for all axes, or one for each: nn::Conv2d<3, 8, "
             "PerAxis{3, 5}>, nn::Conv3d<3, 8, PerAxis{3, 5, 5}>");
template <int Spatial, i64 In, i64 Out, PerAxis Window, auto Options, bool Bias>
requires(!Window.names(Spatial)) struct Conv<Spatial, In, Out, Window, Options, Bias> : AfterRefusal {
  static_assert(sizeof(WindowNamesAxes<sizeof(ctype<Options.dtype>) == 0, GivenSize<Spatial>,
                                       GivenSize<Window.count>>) > 0);
};

template <i64 In, i64 Out = not_given, PerAxis Window = not_given,
          OptionsOf<ConvOptions> Options = ConvOptions{}, auto... More>
using Conv1d = Conv<1, In, Out, Window, options_alone<ConvOptions, spelled::Conv1d, Options, More...>()>;
template <i64 In, i64 Out = not_given, PerAxis Window = not_given,
          OptionsOf<ConvOptions> Options = ConvOptions{}, auto... More>
using Conv2d = Conv<2, In, Out, Window, options_alone<ConvOptions, spelled::Conv2d, Options, More...>()>;
template <i64 In, i64 Out = not_given, PerAxis Window = not_given,
          OptionsOf<ConvOptions> Options = ConvOptions{}, auto... More>
using Conv3d = Conv<3, In, Out, Window, options_alone<ConvOptions, spelled::Conv3d, Options, More...>()>;
template <i64 In, i64 Out = not_given, PerAxis Window = not_given,
          OptionsOf<ConvTransposeOptions> Options = ConvTransposeOptions{}, auto... More>
using ConvTranspose1d =
    Conv<1, In, Out, Window,
         options_alone<ConvTransposeOptions, spelled::ConvTranspose1d, Options, More...>()>;
template <i64 In, i64 Out = not_given, PerAxis Window = not_given,
          OptionsOf<ConvTransposeOptions> Options = ConvTransposeOptions{}, auto... More>
using ConvTranspose2d =
    Conv<2, In, Out, Window,
         options_alone<ConvTransposeOptions, spelled::ConvTranspose2d, Options, More...>()>;
template <i64 In, i64 Out = not_given, PerAxis Window = not_given,
          OptionsOf<ConvTransposeOptions> Options = ConvTransposeOptions{}, auto... More>
using ConvTranspose3d =
    Conv<3, In, Out, Window,
         options_alone<ConvTransposeOptions, spelled::ConvTranspose3d, Options, More...>()>;

}  // namespace WEFT_NAMESPACE::nn
