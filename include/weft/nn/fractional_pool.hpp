#pragma once
// nn::FractionalMaxPool2d<2, nn::FractionalPoolOptions{.output_ratio = 0.5}>: see
// weft/ops/nn/fractional_pool.hpp.

#include "weft/nn/spelling.hpp"
#include "weft/nn/stateless.hpp"
#include "weft/ops/nn/fractional_pool.hpp"

namespace WEFT_NAMESPACE::nn {

using weft::FractionalPoolOptions;
using weft::PerAxis;

// x (N, C, ...) or (C, ...). Windows are drawn anew for every sample and channel, in training and in
// evaluation as in PyTorch. With `return_indices` behind x a tuple of the greatest elements and their places.
template <PerAxis Window, FractionalPoolOptions Options>
struct FractionalMaxPool2d {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x) const {
    return weft::fractional_max_pool2d<Window, Options>(to_expr(x));
  }
  constexpr auto operator()(const auto& x, ReturnIndices) const {
    return weft::fractional_max_pool2d<Window, Options>(to_expr(x), return_indices);
  }
};
template <PerAxis Window, FractionalPoolOptions Options>
struct FractionalMaxPool3d {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x) const {
    return weft::fractional_max_pool3d<Window, Options>(to_expr(x));
  }
  constexpr auto operator()(const auto& x, ReturnIndices) const {
    return weft::fractional_max_pool3d<Window, Options>(to_expr(x), return_indices);
  }
};

}  // namespace WEFT_NAMESPACE::nn
