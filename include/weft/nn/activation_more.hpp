#pragma once
// More activations as modules, with PyTorch's names and defaults; settings are members.

#include "weft/nn/dropout.hpp"
#include "weft/ops/activation_rare.hpp"

namespace WEFT_NAMESPACE::nn {

struct Softshrink {
  float lambd = 0.5f;  // [-lambd, lambd] becomes 0
  constexpr auto operator()(const auto& x) const { return softshrink(to_expr(x), lambd); }
};
struct Hardshrink {
  float lambd = 0.5f;  // [-lambd, lambd] becomes 0
  constexpr auto operator()(const auto& x) const { return hardshrink(to_expr(x), lambd); }
};
struct Tanhshrink {
  constexpr auto operator()(const auto& x) const { return tanhshrink(to_expr(x)); }
};
struct Threshold {
  float threshold = 0;  // at most this becomes `value`
  float value = 0;      // in its place
  constexpr auto operator()(const auto& x) const { return weft::threshold(to_expr(x), threshold, value); }
};
template <int Axis = -1>
struct Softmin {
  constexpr auto operator()(const auto& x) const { return softmin<Axis>(to_expr(x)); }
};
// Over the channels of (N, C, H, W) or (C, H, W).
struct Softmax2d {
  constexpr auto operator()(const auto& x) const { return softmax<-3>(to_expr(x)); }
};
// Gated by the first half of an axis: silu, gelu, relu.
template <int Axis = -1>
struct SwiGLU {
  constexpr auto operator()(const auto& x) const { return swiglu<Axis>(to_expr(x)); }
};
template <int Axis = -1>
struct GEGLU {
  constexpr auto operator()(const auto& x) const { return geglu<Axis>(to_expr(x)); }
};
template <int Axis = -1>
struct ReGLU {
  constexpr auto operator()(const auto& x) const { return reglu<Axis>(to_expr(x)); }
};

namespace module_detail {

// Leaky with a slope for each element, uniform in [lower, upper).
struct RandomSlopes : Operation<RandomSlopes> {
  using weft_draws = void;
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x, float lower, float upper) {
    const double low = static_cast<double>(lower), width = static_cast<double>(upper) - low;
    const ir::Value u = ir::cast(weft::detail::uniform_bits(b, X::shape::value), dtype_of<typename X::dtype>);
    const ir::Value slope = u * width + low;
    const ir::Value positive = ir::binary(ir::Op::lt, ir::constant_like(x.value, 0), x.value);
    return X{ir::select(positive, x.value, x.value * slope)};
  }
};

// Dropped blocks become what keeps mean 0 and variance 1 for inputs that have them (SELU's outputs).
template <int Axes>
struct AlphaDrop : Operation<AlphaDrop<Axes>> {
  using weft_draws = void;
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x, float p) {
    const double drop = static_cast<double>(p), keep = 1 - drop, alpha = 1.7580993408473766;
    if (drop <= 0) return X{x.value};
    Dims d = X::shape::value;
    for (int i = Axes; i < d.rank; ++i) d.extent[i] = 1;
    const ir::Value u = weft::detail::uniform_bits(b, d);
    const ir::Value kept = ir::binary(ir::Op::lt, u, ir::constant_like(u, keep));
    const double a = keep > 0 ? 1 / square_root((alpha * alpha * drop + 1) * keep) : 0;
    const ir::Value scaled = x.value * a + alpha * a * drop;
    return X{ir::select(kept, scaled, ir::constant_like(x.value, alpha * a * drop - alpha * a))};
  }
};

}  // namespace module_detail

namespace functional {

// alpha_dropout of elements, feature_alpha_dropout of whole channels of (N, C, ...), whatever the mode.
template <class X>
constexpr auto alpha_dropout(const X& x, float p = 0.5f) {
  const auto e = to_expr(x);
  return module_detail::AlphaDrop<std::remove_cvref_t<decltype(e)>::rank>{}(e, p);
}
template <class X>
constexpr auto feature_alpha_dropout(const X& x, float p = 0.5f) {
  return module_detail::AlphaDrop<2>{}(x, p);
}

}  // namespace functional

// Leaky with random slopes while training, with their mean otherwise.
struct RReLU {
  float lower = 1.0f / 8;  // least slope below 0
  float upper = 1.0f / 3;  // greatest slope below 0
  Mode mode{};
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    if (mode.training) return module_detail::RandomSlopes{}(e, lower, upper);
    return decltype(e){rrelu(e, static_cast<double>(lower), static_cast<double>(upper)).value};
  }
};
// Klambauer et al. (2017): for networks of SELU. Single elements; FeatureAlphaDropout: whole channels.
struct AlphaDropout {
  float p = 0.5f;  // probability to drop an element
  Mode mode{};
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    return module_detail::AlphaDrop<std::remove_cvref_t<decltype(e)>::rank>{}(e, mode.training ? p : 0.0f);
  }
};
struct FeatureAlphaDropout {
  float p = 0.5f;  // probability to drop a channel
  Mode mode{};
  constexpr auto operator()(const auto& x) const {
    return module_detail::AlphaDrop<2>{}(to_expr(x), mode.training ? p : 0.0f);
  }
};

}  // namespace WEFT_NAMESPACE::nn
