#pragma once
// y = x W^T + b over the last axis.

#include "weft/nn/param.hpp"
#include "weft/ops/linalg.hpp"

namespace weft::nn {

// x (..., In) -> (..., Out). weight (Out, In), bias (Out), started as PyTorch's.
template <i64 In, i64 Out, bool Bias = true, class T = f32>
struct Linear {
  Param<T, Shape<Out, In>, init::FanInUniform<>> weight{};
  Param<T, Shape<Out>, init::FanInUniform<In>> bias{};
  constexpr auto operator()(const auto& x) const { return linear(x, weight, bias); }
};
template <i64 In, i64 Out, class T>
struct Linear<In, Out, false, T> {
  Param<T, Shape<Out, In>, init::FanInUniform<>> weight{};
  constexpr auto operator()(const auto& x) const { return linear(x, weight); }
};

}  // namespace weft::nn
