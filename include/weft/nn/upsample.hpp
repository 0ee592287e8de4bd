#pragma once
// Resizing as a layer: nn::Upsample<nn::InterpolateOptions{.scale_factor = 2}>.

#include "weft/nn/spelling.hpp"
#include "weft/nn/stateless.hpp"
#include "weft/ops/nn/interpolate.hpp"

namespace WEFT_NAMESPACE::nn {

using weft::InterpolateOptions;
using weft::Interpolation;
using weft::PerAxis;

WEFT_REFUSAL(
    UpsampleHasOptions,
    "nn::Upsample takes its settings by name: nn::Upsample<nn::InterpolateOptions{.scale_factor = 2}> "
    "or {.size = {32, 32}}");

// x (N, C, ...) with one to three more axes -> the same with those resized. Holds nothing.
template <auto Options>
struct Upsample {
  [[no_unique_address]] module_detail::Stateless stateless{};
  static constexpr bool given = std::is_same_v<std::remove_const_t<decltype(Options)>, InterpolateOptions>;
  static_assert(sizeof(UpsampleHasOptions<given, Upsample>) > 0);
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    if constexpr (given)
      return interpolate<Options>(x);
    else
      return to_expr(x);
  }
};

}  // namespace WEFT_NAMESPACE::nn
