#pragma once
// PyTorch's spelling of windows, strides and padding, of convolutions, pools and interpolation: overloads
// that refuse with the spelling to use.

#include "weft/ops/core/spelling.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(
    WindowIsOne,
    "one template argument is the window or the size, PerAxis{3, 2} where the axes differ, and options "
    "follow it: write max_pool2d<3, PoolOptions{.stride = 2}>(x), adaptive_avg_pool2d<PerAxis{7, 5}>(x), "
    "interpolate<InterpolateOptions{.scale_factor = 2}>(x)");
#define WEFT_WINDOWED(name)                                                               \
  template <i64 A, i64 B, i64... C, Spelled X>                                            \
  constexpr auto name(const X& x) {                                                       \
    return detail::respelled<WindowIsOne<false, spelled::name, Shape<A, B, C...>, X>>(x); \
  }
WEFT_WINDOWED(max_pool1d)
WEFT_WINDOWED(max_pool2d)
WEFT_WINDOWED(max_pool3d)
WEFT_WINDOWED(avg_pool1d)
WEFT_WINDOWED(avg_pool2d)
WEFT_WINDOWED(avg_pool3d)
WEFT_WINDOWED(adaptive_avg_pool1d)
WEFT_WINDOWED(adaptive_avg_pool2d)
WEFT_WINDOWED(adaptive_avg_pool3d)
WEFT_WINDOWED(adaptive_max_pool1d)
WEFT_WINDOWED(adaptive_max_pool2d)
WEFT_WINDOWED(adaptive_max_pool3d)
#undef WEFT_WINDOWED
template <auto Factor, Spelled X>
requires std::is_arithmetic_v<decltype(Factor)>
constexpr auto interpolate(const X& x) {
  return detail::respelled<WindowIsOne<false, spelled::interpolate, X>>(x);
}

// Settings of convolutions and pools in braces behind the operands.
WEFT_REFUSAL(SettingsAreTemplateArguments,
             "windows and settings are template arguments: write conv2d<ConvOptions{.stride = 2, .padding = "
             "1}>(x, w), "
             "max_pool2d<2>(x), max_pool2d<PerAxis{3, 2}, PoolOptions{.stride = 2}>(x), "
             "interpolate<InterpolateOptions{.scale_factor = 2}>(x), leaky_relu(x, 0.1f)");
namespace spelled {
struct conv1d;
struct conv2d;
struct conv3d;
struct leaky_relu;
}  // namespace spelled
#define WEFT_CONVOLVED(name)                                                               \
  template <Spelled X, Spelled W>                                                          \
  constexpr auto name(const X& x, const W&, const detail::KeywordArguments&) {             \
    return detail::respelled<SettingsAreTemplateArguments<false, spelled::name, X, W>>(x); \
  }                                                                                        \
  template <Spelled X, Spelled W, class B, SpelledNumber N, class... More>                 \
  constexpr auto name(const X& x, const W&, const B&, const N&, const More&...) {          \
    return detail::respelled<SettingsAreTemplateArguments<false, spelled::name, X, W>>(x); \
  }
WEFT_CONVOLVED(conv1d)
WEFT_CONVOLVED(conv2d)
WEFT_CONVOLVED(conv3d)
#undef WEFT_CONVOLVED
#define WEFT_SET(name)                                                                  \
  template <Spelled X>                                                                  \
  constexpr auto name(const X& x, const detail::KeywordArguments&) {                    \
    return detail::respelled<SettingsAreTemplateArguments<false, spelled::name, X>>(x); \
  }
WEFT_SET(leaky_relu)
WEFT_SET(interpolate)
#undef WEFT_SET
#define WEFT_POOLED(name)                                                               \
  template <Spelled X, class... B>                                                      \
  constexpr auto name(const X& x, std::initializer_list<int>, const B&...) {            \
    return detail::respelled<SettingsAreTemplateArguments<false, spelled::name, X>>(x); \
  }
WEFT_POOLED(max_pool2d)
WEFT_POOLED(avg_pool2d)
WEFT_POOLED(adaptive_avg_pool2d)
#undef WEFT_POOLED

}  // namespace WEFT_NAMESPACE
