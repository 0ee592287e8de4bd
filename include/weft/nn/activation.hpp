#pragma once
// Activations as modules, with PyTorch's names and defaults; settings are members. They hold no state, except
// PReLU.

#include "weft/nn/channels.hpp"
#include "weft/nn/dropout.hpp"
#include "weft/nn/param.hpp"
#include "weft/nn/stateless.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/nn/shrink.hpp"
#include "weft/ops/nn/similarity.hpp"

namespace WEFT_NAMESPACE::nn {

struct ReLU {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_NO_INPLACE
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return relu(to_expr(x)); }
};
struct ReLU6 {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_NO_INPLACE
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return relu6(to_expr(x)); }
};
WEFT_REFUSAL(ApproximateIsLayer,
             "GELU(approximate=\"tanh\") is a layer of its own: write nn::GELUTanh act, and gelu_tanh(x) for "
             "the function");
// x Phi(x)
struct GELU {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_LAYER_OPTION(approximate, ApproximateIsLayer, void)
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return gelu(to_expr(x)); }
};
// GELU(approximate="tanh")
struct GELUTanh {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return gelu_tanh(to_expr(x)); }
};
// x sigmoid(x)
struct SiLU {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_NO_INPLACE
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return silu(to_expr(x)); }
};
// x tanh(softplus(x))
struct Mish {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_NO_INPLACE
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return mish(to_expr(x)); }
};
struct Sigmoid {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return sigmoid(to_expr(x)); }
};
struct LogSigmoid {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return logsigmoid(to_expr(x)); }
};
struct Tanh {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return tanh(to_expr(x)); }
};
// x / (1 + |x|)
struct Softsign {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return softsign(to_expr(x)); }
};
// clamp(x / 6 + 1/2, 0, 1)
struct Hardsigmoid {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_NO_INPLACE
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return hardsigmoid(to_expr(x)); }
};
// x clamp(x / 6 + 1/2, 0, 1)
struct Hardswish {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_NO_INPLACE
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return hardswish(to_expr(x)); }
};
struct Hardtanh {
  float min_val = -1;  // least result
  float max_val = 1;   // greatest result
  WEFT_NO_INPLACE
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return hardtanh(to_expr(x), min_val, max_val); }
};

// x where x > 0, slope x elsewhere.
WEFT_REFUSAL(SlopeIsNamed,
             "the slope of a LeakyReLU below 0 is its member slope: write nn::LeakyReLU act{.slope = 0.2f}");
struct LeakyReLU {
  float slope = 0.01f;  // below 0
  WEFT_NO_INPLACE
  WEFT_REFUSED_LAYER_OPTION(negative_slope, SlopeIsNamed, LeakyReLU)
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return leaky_relu(to_expr(x), slope); }
};

// x where x > 0, slope x elsewhere; the slope is learned: one for all, or one for each of N channels (axis
// 1).
template <i64 N = 1, class T = f32>
struct PReLU {
  Param<T, Shape<N>, init::Constant<1, 4>> weight{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    using S = typename decltype(e)::shape;
    constexpr int after = N == 1 || S::rank < 2 ? 0 : S::rank - 2;
    return prelu(e, module_detail::along_channels<N>(weight, std::make_integer_sequence<int, after>{}));
  }
};

// x where x > 0, alpha (exp(x) - 1) elsewhere.
struct ELU {
  float alpha = 1;  // the result goes to -alpha
  WEFT_NO_INPLACE
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return elu(to_expr(x), alpha); }
};
// x where x > 0, alpha (exp(x / alpha) - 1) elsewhere.
struct CELU {
  float alpha = 1;  // the result goes to -alpha
  WEFT_NO_INPLACE
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return celu(to_expr(x), alpha); }
};
// Klambauer et al. (2017).
struct SELU {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_NO_INPLACE
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return selu(to_expr(x)); }
};

// log(1 + exp(beta x)) / beta; x where beta x > threshold.
struct Softplus {
  float beta = 1;        // steepness
  float threshold = 20;  // beta x above it: the result is x
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    return where(gt(mul(e, beta), threshold), e, softplus(e, beta));
  }
};

template <int Axis = -1>
struct Softmax {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return softmax<Axis>(to_expr(x)); }
};
template <int Axis = -1>
struct LogSoftmax {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return log_softmax<Axis>(to_expr(x)); }
};

// The first half of an axis times the sigmoid of the second.
template <int Axis = -1>
struct GLU {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return glu<Axis>(to_expr(x)); }
};

struct Softshrink {
  float lambd = 0.5f;  // [-lambd, lambd] becomes 0
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return softshrink(to_expr(x), lambd); }
};
struct Hardshrink {
  float lambd = 0.5f;  // [-lambd, lambd] becomes 0
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return hardshrink(to_expr(x), lambd); }
};
struct Tanhshrink {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return tanhshrink(to_expr(x)); }
};
struct Threshold {
  float threshold = 0;  // at most this becomes `value`
  float value = 0;      // in its place
  WEFT_NO_INPLACE
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return weft::threshold(to_expr(x), threshold, value); }
};
template <int Axis = -1>
struct Softmin {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return softmin<Axis>(to_expr(x)); }
};
// Over the channels of (N, C, H, W) or (C, H, W).
struct Softmax2d {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return softmax<-3>(to_expr(x)); }
};
// Gated by the first half of an axis: silu, gelu, relu.
template <int Axis = -1>
struct SwiGLU {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return swiglu<Axis>(to_expr(x)); }
};
template <int Axis = -1>
struct GEGLU {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return geglu<Axis>(to_expr(x)); }
};
template <int Axis = -1>
struct ReGLU {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const { return reglu<Axis>(to_expr(x)); }
};

namespace module_detail {

// Leaky with a slope for each element, uniform in [lower, upper).
struct RandomSlopes : Operation<RandomSlopes> {
  using weft_draws = void;
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x, float lower, float upper) {
    if (!(lower <= upper)) return weft::detail::without_value<X>(b, ir::Valueless::no_scale);
    const double low = static_cast<double>(lower), width = static_cast<double>(upper) - low;
    const ir::Value u = weft::detail::uniform_of(b, X::shape::value, dtype_of<typename X::dtype>);
    const ir::Value slope = u * width + low;
    const ir::Value positive = ir::binary(ir::Op::lt, ir::constant_like(x.value, 0), x.value);
    return X{ir::select(positive, x.value, x.value * slope)};
  }
};

}  // namespace module_detail

// Leaky with random slopes while training, with their mean otherwise.
struct RReLU {
  float lower = 1.0f / 8;  // least slope below 0
  float upper = 1.0f / 3;  // greatest slope below 0
  Mode mode{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    if (mode.training) return module_detail::RandomSlopes{}(e, lower, upper);
    return decltype(e){rrelu(e, static_cast<double>(lower), static_cast<double>(upper)).value};
  }
};

}  // namespace WEFT_NAMESPACE::nn
