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

// Single elements.
struct Dropout {
  float p = 0.5f;  // probability to drop an element
  Mode mode{};
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    return dropout(e, mode.training ? p : 0.0f);
  }
};

namespace module_detail {

// Zeroes whole blocks of x: one draw for each index into its first `axes` axes.
template <int Axes>
struct DropBlocks : Operation<DropBlocks<Axes>> {
  using weft_draws = void;
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x, float p) {
    static_assert(sizeof(RankIs<(X::rank >= Axes), DropBlocks, typename X::shape, GivenRank<Axes>>) > 0);
    const double keep = 1.0 - static_cast<double>(p);
    if (keep >= 1) return X{x.value};
    Dims d = X::shape::value;
    for (int i = Axes; i < d.rank; ++i) d.extent[i] = 1;
    const ir::Value kept = weft::detail::kept_with(b, d, keep);
    const ir::Value scaled = keep > 0 ? x.value * (1.0 / keep) : x.value;
    return X{ir::select(kept, scaled, ir::constant_like(x.value, 0))};
  }
};

}  // namespace module_detail

namespace functional {

// Whole channels of (N, C, ...) with probability p, whatever the mode, as weft::dropout drops elements.
template <class X>
constexpr auto dropout1d(const X& x, float p = 0.5f) {
  return module_detail::DropBlocks<2>{}(x, p);
}
template <class X>
constexpr auto dropout2d(const X& x, float p = 0.5f) {
  return module_detail::DropBlocks<2>{}(x, p);
}
template <class X>
constexpr auto dropout3d(const X& x, float p = 0.5f) {
  return module_detail::DropBlocks<2>{}(x, p);
}

}  // namespace functional

// Whole channels of (N, C, ...), whatever follows them.
struct Dropout2d {
  float p = 0.5f;  // probability to drop a channel
  Mode mode{};
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
  constexpr auto operator()(const auto& x) const {
    return module_detail::DropBlocks<1>{}(to_expr(x), mode.training ? p : 0.0f);
  }
};

namespace module_detail {

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
    const ir::Value kept = weft::detail::kept_with(b, d, keep);
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
