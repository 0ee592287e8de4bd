#pragma once
// Pooling layers with PyTorch's names: nn::MaxPool2d<2>, nn::AvgPool2d<3, nn::PoolOptions{.padding =
// 1}>. They hold nothing.

#include "weft/ops/pool.hpp"

namespace weft::nn {

using weft::PerAxis;
using weft::PoolOptions;

// x (N, C, ...) or (C, ...). The stride is the window's extent unless the options say otherwise.
template <int Spatial, PerAxis Window, PoolOptions Options>
struct MaxPool {
  constexpr auto operator()(const auto& x) const { return weft::MaxPoolOp<Spatial, Window, Options>{}(x); }
};
template <int Spatial, PerAxis Window, PoolOptions Options>
struct AvgPool {
  constexpr auto operator()(const auto& x) const { return weft::AvgPoolOp<Spatial, Window, Options>{}(x); }
};

template <PerAxis Window, PoolOptions Options = PoolOptions{}>
using MaxPool1d = MaxPool<1, Window, Options>;
template <PerAxis Window, PoolOptions Options = PoolOptions{}>
using MaxPool2d = MaxPool<2, Window, Options>;
template <PerAxis Window, PoolOptions Options = PoolOptions{}>
using MaxPool3d = MaxPool<3, Window, Options>;
template <PerAxis Window, PoolOptions Options = PoolOptions{}>
using AvgPool1d = AvgPool<1, Window, Options>;
template <PerAxis Window, PoolOptions Options = PoolOptions{}>
using AvgPool2d = AvgPool<2, Window, Options>;
template <PerAxis Window, PoolOptions Options = PoolOptions{}>
using AvgPool3d = AvgPool<3, Window, Options>;

}  // namespace weft::nn
