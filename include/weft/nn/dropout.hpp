#pragma once
// Dropout: parts of a tensor zeroed with probability p while training, nothing otherwise; what stays is
// scaled by 1 / (1 - p). The mask is a function of (seed, step, call, element), rematerialized in the
// backward pass and never stored.

#include "weft/core/square_root.hpp"
#include "weft/nn/param.hpp"
#include "weft/ops/random/random.hpp"

namespace WEFT_NAMESPACE::nn {

// What a module may ask of the trace it runs in; filled in by the tracer.
struct Mode {
  bool training = false;
};

WEFT_REFUSAL(RateIsP, "the probability of a dropout is its member p: write nn::Dropout drop{.p = 0.1f}");

// Single elements.
struct Dropout {
  float p = 0.5f;  // probability to drop an element
  Mode mode{};
  WEFT_NO_INPLACE
  WEFT_REFUSED_LAYER_OPTION(rate, RateIsP, void)
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    return dropout(e, mode.training ? p : 0.0f);
  }
};

namespace module_detail {

// Zeroes whole blocks of x: one draw for each index into its first `axes` axes.
template <int Axes>
struct DropBlocks : weft::detail::ZeroedOf<DropBlocks<Axes>, Axes> {};

}  // namespace module_detail

namespace functional {

// Whole channels of (N, C, ...) with probability p, whatever the mode, as weft::dropout drops elements.
template <class X, class P = float>
constexpr auto dropout1d(const X& x, const P& p = 0.5f) {
  return module_detail::DropBlocks<2>{}(x, p);
}
template <class X, class P = float>
constexpr auto dropout2d(const X& x, const P& p = 0.5f) {
  return module_detail::DropBlocks<2>{}(x, p);
}
template <class X, class P = float>
constexpr auto dropout3d(const X& x, const P& p = 0.5f) {
  return module_detail::DropBlocks<2>{}(x, p);
}

}  // namespace functional

// Whole channels of (N, C, ...), whatever follows them.
struct Dropout2d {
  float p = 0.5f;  // probability to drop a channel
  Mode mode{};
  WEFT_NO_INPLACE
  WEFT_REFUSED_LAYER_OPTION(rate, RateIsP, void)
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    return module_detail::DropBlocks<2>{}(to_expr(x), mode.training ? p : 0.0f);
  }
};
using Dropout1d = Dropout2d;
using Dropout3d = Dropout2d;

// Whole samples of (N, ...): stochastic depth (Huang et al., 2016), for the branch of a residual block.
struct DropPath {
  float p = 0.5f;  // probability to drop a sample
  Mode mode{};
  WEFT_NO_INPLACE
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    return module_detail::DropBlocks<1>{}(to_expr(x), mode.training ? p : 0.0f);
  }
};

namespace module_detail {

// Dropped blocks become what keeps mean 0 and variance 1 for inputs that have them (SELU's outputs).
template <int Axes = max_rank>
struct AlphaDrop : weft::detail::DropoutOf<AlphaDrop<Axes>, Axes> {
  static constexpr double alpha = 1.7580993408473766;
  template <class X>
  static constexpr auto dropped(const X& x, const ir::Value& kept, double keep) {
    const double drop = 1 - keep;
    const double a = keep > 0 ? 1 / square_root((alpha * alpha * drop + 1) * keep) : 0;
    const ir::Value scaled = x.value * a + alpha * a * drop;
    return X{ir::select(kept, scaled, ir::constant_like(x.value, alpha * a * drop - alpha * a))};
  }
  template <class X>
  static constexpr auto at_run_time(ir::Builder& b, const X& x, const Dims& d, const Expr<f32, Shape<>>& p) {
    const auto keep = sub(1, p);
    const auto a = where(gt(keep, 0), rsqrt(mul(add(mul(alpha * alpha, p), 1), keep)), 0);
    const ir::Value kept =
        ir::binary(ir::Op::lt, weft::detail::uniform_bits(b, d), ir::broadcast(keep.value, d));
    const auto scaled = add(mul(x, a), mul(mul(alpha, a), p));
    const auto rest = mul(mul(-alpha, a), keep);
    const ir::Value others = ir::broadcast(ir::cast(rest.value, scaled.value.dtype()), X::shape::value);
    return X{ir::cast(ir::select(kept, scaled.value, others), dtype_of<typename X::dtype>)};
  }
};

}  // namespace module_detail

namespace functional {

// alpha_dropout of elements, feature_alpha_dropout of whole channels of (N, C, ...), whatever the mode.
template <class X, class P = float>
constexpr auto alpha_dropout(const X& x, const P& p = 0.5f) {
  return module_detail::AlphaDrop<>{}(x, p);
}
template <class X, class P = float>
constexpr auto feature_alpha_dropout(const X& x, const P& p = 0.5f) {
  return module_detail::AlphaDrop<2>{}(x, p);
}

}  // namespace functional

// Klambauer et al. (2017): for networks of SELU. Single elements; FeatureAlphaDropout: whole channels.
struct AlphaDropout {
  float p = 0.5f;  // probability to drop an element
  Mode mode{};
  WEFT_NO_INPLACE
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    return module_detail::AlphaDrop<>{}(to_expr(x), mode.training ? p : 0.0f);
  }
};
struct FeatureAlphaDropout {
  float p = 0.5f;  // probability to drop a channel
  Mode mode{};
  WEFT_NO_INPLACE
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    return module_detail::AlphaDrop<2>{}(to_expr(x), mode.training ? p : 0.0f);
  }
};

}  // namespace WEFT_NAMESPACE::nn
