#pragma once
// Pooling layers with PyTorch's names: nn::MaxPool2d<2>, nn::AvgPool2d<3, nn::PoolOptions{.padding =
// 1}>, nn::LPPool2d<2>{.norm_type = 3}, nn::MaxUnpool2d<2>. They hold nothing.

#include "weft/nn/spelling.hpp"
#include "weft/nn/stateless.hpp"
#include "weft/ops/nn/lp_pool.hpp"
#include "weft/ops/nn/pool_index.hpp"

namespace WEFT_NAMESPACE::nn {

using weft::PerAxis;
using weft::PoolOptions;
using weft::UnpoolOptions;

// x (N, C, ...) or (C, ...). The stride is the window's extent unless the options say otherwise. With
// `return_indices` behind x a tuple of the greatest elements and their places.
template <int Spatial, PerAxis Window, PoolOptions Options>
struct MaxPool {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_NO_STRIDE
  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x) const { return weft::MaxPoolOp<Spatial, Window, Options>{}(x); }
  constexpr auto operator()(const auto& x, ReturnIndices) const {
    return std::tuple{(*this)(x), weft::MaxPoolPlacesOp<Spatial, Window, Options>{}(x)};
  }
};
template <int Spatial, PerAxis Window, PoolOptions Options>
struct AvgPool {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_NO_STRIDE
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return weft::AvgPoolOp<Spatial, Window, Options>{}(x); }
};

// (sum of x^norm_type over each window)^(1 / norm_type)
template <int Spatial, PerAxis Window, PoolOptions Options>
struct LPPool {
  float norm_type = 2;  // p of the norm
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    return weft::LpPoolOp<Spatial, Window, Options>{}(x, norm_type);
  }
};
// What a MaxPool gave with `return_indices`, back at its places; zeros elsewhere.
template <int Spatial, PerAxis Window, UnpoolOptions Options>
struct MaxUnpool {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x, const auto& places) const {
    return weft::MaxUnpoolOp<Spatial, Window, Options>{}(x, places);
  }
  WEFT_REFUSED_ONE(MaxUnpool)
};

template <PerAxis Window, OptionsOf<PoolOptions> Options = PoolOptions{}, auto... More>
using MaxPool1d = MaxPool<1, Window, options_alone<PoolOptions, spelled::MaxPool1d, Options, More...>()>;
template <PerAxis Window, OptionsOf<PoolOptions> Options = PoolOptions{}, auto... More>
using MaxPool2d = MaxPool<2, Window, options_alone<PoolOptions, spelled::MaxPool2d, Options, More...>()>;
template <PerAxis Window, OptionsOf<PoolOptions> Options = PoolOptions{}, auto... More>
using MaxPool3d = MaxPool<3, Window, options_alone<PoolOptions, spelled::MaxPool3d, Options, More...>()>;
template <PerAxis Window, OptionsOf<PoolOptions> Options = PoolOptions{}, auto... More>
using AvgPool1d = AvgPool<1, Window, options_alone<PoolOptions, spelled::AvgPool1d, Options, More...>()>;
template <PerAxis Window, OptionsOf<PoolOptions> Options = PoolOptions{}, auto... More>
using AvgPool2d = AvgPool<2, Window, options_alone<PoolOptions, spelled::AvgPool2d, Options, More...>()>;
template <PerAxis Window, OptionsOf<PoolOptions> Options = PoolOptions{}, auto... More>
using AvgPool3d = AvgPool<3, Window, options_alone<PoolOptions, spelled::AvgPool3d, Options, More...>()>;
template <PerAxis Window, PoolOptions Options = PoolOptions{}>
using LPPool1d = LPPool<1, Window, Options>;
template <PerAxis Window, PoolOptions Options = PoolOptions{}>
using LPPool2d = LPPool<2, Window, Options>;
template <PerAxis Window, PoolOptions Options = PoolOptions{}>
using LPPool3d = LPPool<3, Window, Options>;
template <PerAxis Window, UnpoolOptions Options = UnpoolOptions{}>
using MaxUnpool1d = MaxUnpool<1, Window, Options>;
template <PerAxis Window, UnpoolOptions Options = UnpoolOptions{}>
using MaxUnpool2d = MaxUnpool<2, Window, Options>;
template <PerAxis Window, UnpoolOptions Options = UnpoolOptions{}>
using MaxUnpool3d = MaxUnpool<3, Window, Options>;

}  // namespace WEFT_NAMESPACE::nn
