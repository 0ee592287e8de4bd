#pragma once
// Frames as layers with PyTorch's names: nn::ReflectionPad2d<1>, nn::ConstantPad2d<1, 1, 2, 0>{.value = 3}.
// One width for all sides, or those of the last axis (low, high), then of the axis before it. Negative ones
// crop.

#include "weft/nn/spelling.hpp"
#include "weft/nn/stateless.hpp"
#include "weft/ops/shape/padding.hpp"

namespace WEFT_NAMESPACE::nn {

WEFT_REFUSAL(PadWidthsComplete, "a padding layer takes one width for all sides, or two for each of its axes");

namespace module_detail {

// Calls f<widths...>() with all 2 * Spatial of them.
template <int Spatial, class Layer, i64... Widths, class F>
constexpr auto with_widths(F f) {
  constexpr bool one = sizeof...(Widths) == 1, ok = one || sizeof...(Widths) == 2 * Spatial;
  static_assert(sizeof(PadWidthsComplete<ok, Layer>) > 0);
  if constexpr (one) return [&]<int... K>(std::integer_sequence<int, K...>) {
      return f.template operator()<(K * 0 + (Widths + ...))...>();
    }
  (std::make_integer_sequence<int, 2 * Spatial>{});
  else if constexpr (ok) return f.template operator()<Widths...>();
  else return f.template operator()<>();
}

}  // namespace module_detail

// x (..., S...) -> the same with its last Spatial axes framed.
template <int Spatial, PaddingMode Mode, i64... Widths>
struct FramePad {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    return module_detail::with_widths<Spatial, FramePad, Widths...>([&]<i64... W>() {
      return weft::pad<Mode, W...>(e);
    });
  }
};
template <int Spatial, i64... Widths>
struct ConstantPad {
  float value = 0;  // of the elements that are added
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    return module_detail::with_widths<Spatial, ConstantPad, Widths...>([&]<i64... W>() {
      return weft::pad<W...>(e, value);
    });
  }
};

template <i64... Widths>
using ConstantPad1d = ConstantPad<1, Widths...>;
template <i64... Widths>
using ConstantPad2d = ConstantPad<2, Widths...>;
template <i64... Widths>
using ConstantPad3d = ConstantPad<3, Widths...>;
template <i64... Widths>
using ZeroPad1d = FramePad<1, PaddingMode::zeros, Widths...>;
template <i64... Widths>
using ZeroPad2d = FramePad<2, PaddingMode::zeros, Widths...>;
template <i64... Widths>
using ZeroPad3d = FramePad<3, PaddingMode::zeros, Widths...>;
template <i64... Widths>
using ReflectionPad1d = FramePad<1, PaddingMode::reflect, Widths...>;
template <i64... Widths>
using ReflectionPad2d = FramePad<2, PaddingMode::reflect, Widths...>;
template <i64... Widths>
using ReflectionPad3d = FramePad<3, PaddingMode::reflect, Widths...>;
template <i64... Widths>
using ReplicationPad1d = FramePad<1, PaddingMode::replicate, Widths...>;
template <i64... Widths>
using ReplicationPad2d = FramePad<2, PaddingMode::replicate, Widths...>;
template <i64... Widths>
using ReplicationPad3d = FramePad<3, PaddingMode::replicate, Widths...>;
template <i64... Widths>
using CircularPad1d = FramePad<1, PaddingMode::circular, Widths...>;
template <i64... Widths>
using CircularPad2d = FramePad<2, PaddingMode::circular, Widths...>;
template <i64... Widths>
using CircularPad3d = FramePad<3, PaddingMode::circular, Widths...>;

}  // namespace WEFT_NAMESPACE::nn
