#pragma once
// Resizing as a layer: nn::Upsample<nn::InterpolateOptions{.scale_factor = 2}>.

#include "weft/ops/nn/interpolate.hpp"

namespace WEFT_NAMESPACE::nn {

using weft::InterpolateOptions;
using weft::Interpolation;
using weft::PerAxis;

// x (N, C, ...) with one to three more axes -> the same with those resized. Holds nothing.
template <InterpolateOptions Options>
struct Upsample {
  constexpr auto operator()(const auto& x) const { return interpolate<Options>(x); }
};

}  // namespace WEFT_NAMESPACE::nn
