#pragma once
// y = x W^T + b over the last axis.

#include "weft/nn/param.hpp"
#include "weft/ops/linalg/matmul.hpp"

namespace WEFT_NAMESPACE::nn {

// Linear<8, 4, LinearOptions{.bias = false}> is Linear<8, 4, false>: written as other layers' options are.
struct LinearOptions {
  bool bias = true;  // whether one is added
  constexpr operator bool() const { return bias; }
};

// x (..., In) -> (..., Out). weight (Out, In), bias (Out), started as PyTorch's unless initialisers are
// named.
template <i64 In, i64 Out = not_given, bool Bias = true, class T = f32,
          class WeightInit = init::FanInUniform<>, class BiasInit = init::FanInUniform<In>>
struct Linear {
  Param<T, Shape<Out, In>, WeightInit> weight{};
  Param<T, Shape<Out>, BiasInit> bias{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return linear(x, weight, bias); }
};
template <i64 In, i64 Out, class T, class WeightInit, class BiasInit>
struct Linear<In, Out, false, T, WeightInit, BiasInit> {
  Param<T, Shape<Out, In>, WeightInit> weight{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return linear(x, weight); }
};
template <i64 In, bool Bias, class T, class WeightInit, class BiasInit>
struct Linear<In, not_given, Bias, T, WeightInit, BiasInit> : WithoutSizes<spelled::Linear, GivenSize<In>> {
  using WithoutSizes<spelled::Linear, GivenSize<In>>::WithoutSizes;
};
WEFT_REFUSED_SIZES(Linear, not_given)

}  // namespace WEFT_NAMESPACE::nn
