#pragma once
// Activations as modules, with PyTorch's formulae and defaults; settings are members. They hold no state, except
// PReLU.

#include "weft/nn/channels.hpp"
#include "weft/nn/param.hpp"
#include "weft/ops/activation.hpp"

namespace weft::nn {

struct ReLU {
  constexpr auto operator()(const auto& x) const { return relu(to_expr(x)); }
};
// x Phi(x)
struct GELU {
  constexpr auto operator()(const auto& x) const { return gelu(to_expr(x)); }
};
// GELU(approximate="tanh")
struct GELUTanh {
  constexpr auto operator()(const auto& x) const { return gelu_tanh(to_expr(x)); }
};
// x sigmoid(x)
struct SiLU {
  constexpr auto operator()(const auto& x) const { return silu(to_expr(x)); }
};
struct Sigmoid {
  constexpr auto operator()(const auto& x) const { return sigmoid(to_expr(x)); }
};
struct Tanh {
  constexpr auto operator()(const auto& x) const { return tanh(to_expr(x)); }
};

// x where x > 0, slope x elsewhere.
struct LeakyReLU {
  float slope = 0.01f;
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    return where(gt(e, 0), e, mul(e, slope));
  }
};

// x where x > 0, slope x elsewhere; the slope is learned: one for all, or one for each of N channels (axis 1).
template <i64 N = 1, class T = f32>
struct PReLU {
  Param<T, Shape<N>, init::Constant<1, 4>> weight{};
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    using S = typename decltype(e)::shape;
    constexpr int after = N == 1 || S::rank < 2 ? 0 : S::rank - 2;
    return where(gt(e, 0), e, mul(e, module_detail::along_channels<N>(weight, std::make_integer_sequence<int, after>{})));
  }
};

// x where x > 0, alpha (exp(x) - 1) elsewhere.
struct ELU {
  float alpha = 1;
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    // exp sees no positive number: it would overflow, and its gradient be NaN
    return where(gt(e, 0), e, mul(expm1(where(gt(e, 0), 0.0f, e)), alpha));
  }
};

// log(1 + exp(beta x)) / beta; x where beta x > threshold.
struct Softplus {
  float beta = 1;
  float threshold = 20;
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    const auto scaled = mul(e, beta);
    const auto linear = gt(scaled, threshold);
    return where(linear, e, mul(log1p(exp(where(linear, 0.0f, scaled))), 1 / beta));
  }
};

// x tanh(softplus(x))
struct Mish {
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    return mul(e, tanh(Softplus{}(e)));
  }
};

// x min(max(x + 3, 0), 6) / 6
struct Hardswish {
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    const auto middle = mul(mul(e, add(e, 3.0f)), 1.0f / 6);
    return where(le(e, -3.0f), mul(e, 0.0f), where(ge(e, 3.0f), e, middle));
  }
};

template <int Axis = -1>
struct Softmax {
  constexpr auto operator()(const auto& x) const { return softmax<Axis>(to_expr(x)); }
};
template <int Axis = -1>
struct LogSoftmax {
  constexpr auto operator()(const auto& x) const { return log_softmax<Axis>(to_expr(x)); }
};

}  // namespace weft::nn
