#pragma once
// nn::PixelShuffle<2>, nn::PixelUnshuffle<2>, nn::ChannelShuffle<4>: see weft/ops/nn/shuffle.hpp.

#include "weft/nn/spelling.hpp"
#include "weft/nn/stateless.hpp"
#include "weft/ops/nn/shuffle.hpp"

namespace WEFT_NAMESPACE::nn {

// x (..., C r r, H, W) -> (..., C, H r, W r)
template <i64 R>
struct PixelShuffle {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return weft::PixelShuffleOp<R, false>{}(to_expr(x)); }
};
// x (..., C, H r, W r) -> (..., C r r, H, W)
template <i64 R>
struct PixelUnshuffle {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return weft::PixelShuffleOp<R, true>{}(to_expr(x)); }
};
// x (N, C, ...) -> the same
template <i64 Groups>
struct ChannelShuffle {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return weft::ChannelShuffleOp<Groups>{}(to_expr(x)); }
};

}  // namespace WEFT_NAMESPACE::nn
