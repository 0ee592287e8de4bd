#pragma once
// Pooling to given extents with PyTorch's names: nn::AdaptiveAvgPool2d<1>, nn::AdaptiveMaxPool2d<PerAxis{7,
// 5}>. They hold nothing.

#include "weft/nn/spelling.hpp"
#include "weft/nn/stateless.hpp"
#include "weft/ops/nn/pool_index.hpp"

namespace WEFT_NAMESPACE::nn {

using weft::PerAxis;

// x (N, C, ...) or (C, ...), of any extents; `return_indices` as nn::MaxPool2d.
template <int Spatial, PerAxis Out>
struct AdaptiveMaxPool {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x) const { return weft::AdaptiveMaxPoolOp<Spatial, Out>{}(x); }
  constexpr auto operator()(const auto& x, ReturnIndices) const {
    return std::tuple{(*this)(x), weft::AdaptiveMaxPoolPlacesOp<Spatial, Out>{}(x)};
  }
};
template <int Spatial, PerAxis Out>
struct AdaptiveAvgPool {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return weft::AdaptiveAvgPoolOp<Spatial, Out>{}(x); }
};

template <PerAxis Out>
using AdaptiveMaxPool1d = AdaptiveMaxPool<1, Out>;
template <PerAxis Out>
using AdaptiveMaxPool2d = AdaptiveMaxPool<2, Out>;
template <PerAxis Out>
using AdaptiveMaxPool3d = AdaptiveMaxPool<3, Out>;
template <PerAxis Out>
using AdaptiveAvgPool1d = AdaptiveAvgPool<1, Out>;
template <PerAxis Out>
using AdaptiveAvgPool2d = AdaptiveAvgPool<2, Out>;
template <PerAxis Out>
using AdaptiveAvgPool3d = AdaptiveAvgPool<3, Out>;

}  // namespace WEFT_NAMESPACE::nn
