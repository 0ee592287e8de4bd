#pragma once
// nn::Unfold<3, nn::UnfoldOptions{.padding = 1}>, nn::Fold<nn::PerAxis{8, 6}, 2>: see weft/ops/nn/unfold.hpp.

#include "weft/nn/spelling.hpp"
#include "weft/nn/stateless.hpp"
#include "weft/ops/nn/unfold.hpp"

namespace WEFT_NAMESPACE::nn {

using weft::PerAxis;
using weft::UnfoldOptions;

// x (N, C, H, W) -> (N, C times the window's size, windows)
template <PerAxis Window, UnfoldOptions Options = UnfoldOptions{}>
struct Unfold {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    return weft::UnfoldImageOp<Window, Options>{}(to_expr(x));
  }
};
// x (N, C times the window's size, windows) -> (N, C, output...)
template <PerAxis Output, PerAxis Window, UnfoldOptions Options = UnfoldOptions{}>
struct Fold {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    return weft::FoldImageOp<Output, Window, Options>{}(to_expr(x));
  }
};

}  // namespace WEFT_NAMESPACE::nn
