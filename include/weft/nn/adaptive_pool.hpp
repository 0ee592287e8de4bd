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

WEFT_REFUSAL(
    SizeIsOne,
    "the size of an adaptive pool is one template argument, one number for all axes or one for each: write "
    "nn::AdaptiveAvgPool2d<1>, nn::AdaptiveAvgPool2d<PerAxis{7, 5}>");
namespace module_detail {
template <PerAxis Out, auto... More>
constexpr PerAxis size_alone() {
  static_assert(sizeof(SizeIsOne<sizeof...(More) == 0, GivenSize<sizeof...(More) + 1>>) > 0);
  return Out;
}
}  // namespace module_detail
template <PerAxis Out, auto... More>
using AdaptiveMaxPool1d = AdaptiveMaxPool<1, module_detail::size_alone<Out, More...>()>;
template <PerAxis Out, auto... More>
using AdaptiveMaxPool2d = AdaptiveMaxPool<2, module_detail::size_alone<Out, More...>()>;
template <PerAxis Out, auto... More>
using AdaptiveMaxPool3d = AdaptiveMaxPool<3, module_detail::size_alone<Out, More...>()>;
template <PerAxis Out, auto... More>
using AdaptiveAvgPool1d = AdaptiveAvgPool<1, module_detail::size_alone<Out, More...>()>;
template <PerAxis Out, auto... More>
using AdaptiveAvgPool2d = AdaptiveAvgPool<2, module_detail::size_alone<Out, More...>()>;
template <PerAxis Out, auto... More>
using AdaptiveAvgPool3d = AdaptiveAvgPool<3, module_detail::size_alone<Out, More...>()>;

}  // namespace WEFT_NAMESPACE::nn
