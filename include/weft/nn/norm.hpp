#pragma once
// Normalisation: x minus its mean, over its standard deviation, times weight plus bias, with PyTorch's names,
// defaults and (biased) variances. Statistics of small floating types are taken in f32.

#include "weft/nn/channels.hpp"
#include "weft/nn/container.hpp"
#include "weft/nn/dropout.hpp"
#include "weft/nn/param.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace WEFT_NAMESPACE::nn {

// What: the shape of the input, then the shape or number of groups that the layer was made for.
WEFT_REFUSAL(NormFits,
             "the input's shape does not fit the normalisation: its last axes (LayerNorm, RMSNorm) or its "
             "axis 1 (GroupNorm, BatchNorm, InstanceNorm) must be those the layer was made for, and "
             "BatchNorm2d takes four axes, BatchNorm3d and InstanceNorm1d to 3d in the same way");

namespace module_detail {

// The dtype that statistics of T are taken in: f32 for what is smaller.
template <class T>
using wide_dtype = std::conditional_t<(size_of(dtype_of<T>) < 4), f32, T>;

// x in the dtype that statistics are taken in.
constexpr auto wide(const auto& x) {
  using T = typename std::remove_cvref_t<decltype(x)>::dtype;
  return cast<wide_dtype<T>>(x);
}

// (x - mean) / sqrt(var + eps), or x / sqrt(mean(x^2) + eps), over the named axes.
template <bool Centre, int... A>
constexpr auto normalized(const auto& x, float eps) {
  const auto f = wide(x);
  if constexpr (Centre) {
    const auto centred = sub(f, mean<A...>(f, keepdim));
    return mul(centred, rsqrt(add(mean<A...>(mul(centred, centred), keepdim), eps)));
  } else {
    return mul(f, rsqrt(add(mean<A...>(mul(f, f), keepdim), eps)));
  }
}
template <bool Centre, int... K>
constexpr auto normalized_last(const auto& x, float eps, std::integer_sequence<int, K...>) {
  return normalized<Centre, (-1 - K)...>(x, eps);
}

template <class S, i64... D>
constexpr bool ends_with() {
  constexpr Dims tail = Shape<D...>::value;
  if (S::rank < tail.rank || tail.rank == 0) return false;
  for (int i = 0; i < tail.rank; ++i)
    if (S::value.extent[S::rank - tail.rank + i] != tail.extent[i]) return false;
  return true;
}

template <class X>
using same_dtype = typename X::dtype;

// State that a layer has or has not.
template <bool Has, class State>
using OneIf = std::conditional_t<Has, State, Absent>;

// n times weight plus bias, each seen as (D...), where the layer has them.
template <i64... D>
constexpr auto affine(const auto& n, const auto& weight, const auto& bias) {
  if constexpr (std::is_same_v<std::remove_cvref_t<decltype(weight)>, Absent>)
    return n;
  else
    return n * reshape<D...>(weight) + reshape<D...>(bias);
}

// Mean and biased variance of f over the named axes, which stay; and f without the mean.
template <int... A>
constexpr auto moments(const auto& f) {
  const auto average = mean<A...>(f, keepdim);
  const auto centred = sub(f, average);
  const auto variance = mean<A...>(mul(centred, centred), keepdim);
  return std::tuple{average, variance, centred};
}
// What a layer with running statistics makes of x, given x without the mean, and the variance: in x's dtype.
template <i64 C, class X, int... After>
constexpr auto finished(const auto& layer, const auto& centred, const auto& variance,
                        std::integer_sequence<int, After...>) {
  const auto n = centred * rsqrt(variance + layer.eps);
  return cast<same_dtype<X>>(affine<C, (After * 0 + 1)...>(n, layer.weight, layer.bias));
}
// The same by the running statistics, for evaluation.
template <i64 C, class X, int... K>
constexpr auto by_running(const auto& layer, const X& x, std::integer_sequence<int, K...> after) {
  const auto average = along_channels<C>(layer.running_mean, after);
  const auto variance = along_channels<C>(layer.running_var, after);
  return finished<C, X>(layer, wide(x) - average, variance, after);
}
// Moves the running statistics by those of a batch of `count` numbers a channel, moved(running, now) being
// the running value after it.
template <i64 Count>
constexpr void follow(const auto& layer, const auto& average, const auto& variance, const auto& moved) {
  constexpr double unbiased = static_cast<double>(Count) / static_cast<double>(Count > 1 ? Count - 1 : 1);
  layer.running_mean.assign(moved(layer.running_mean.latest(), average, 1.0));
  layer.running_var.assign(moved(layer.running_var.latest(), variance, unbiased));
}

}  // namespace module_detail

WEFT_REFUSAL(AffineIsLayer,
             "a norm without weight and bias is a layer of its own: nn::LayerNormNoAffine<8>, "
             "nn::RMSNormNoAffine<8>, without a bias alone "
             "nn::LayerNormNoBias<8>");

// x (..., D...) -> the same. weight and bias (D...), in f32; LayerNormOf<f64, D...> has doubles.
template <class T, i64... D>
struct LayerNormOf {
  Param<T, Shape<D...>, init::Ones> weight{};
  Param<T, Shape<D...>, init::Zeros> bias{};
  float eps = 1e-5f;  // added to the variance
  WEFT_REFUSED_LAYER_OPTION(elementwise_affine, AffineIsLayer, void)
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    using X = std::remove_cvref_t<decltype(e)>;
    constexpr bool ok = module_detail::ends_with<typename X::shape, D...>();
    static_assert(sizeof(NormFits<ok, LayerNormOf, typename X::shape, Shape<D...>>) > 0);
    if constexpr (ok) {
      const auto n =
          module_detail::normalized_last<true>(e, eps, std::make_integer_sequence<int, sizeof...(D)>{});
      return cast<module_detail::same_dtype<X>>(n * weight + bias);
    } else {
      return weft::detail::refused<typename X::dtype, typename X::shape>(e, weight, bias);
    }
  }
};
template <i64... D>
using LayerNorm = LayerNormOf<f32, D...>;

// x (..., D...) -> x / sqrt(mean(x^2) + eps) times weight (D...), in f32; RMSNormOf<f64, D...> has
// doubles. eps: PyTorch's default, the epsilon of f32.
template <class T, i64... D>
struct RMSNormOf {
  Param<T, Shape<D...>, init::Ones> weight{};
  float eps = 1.1920928955078125e-07f;  // added to the mean of squares
  WEFT_REFUSED_LAYER_OPTION(elementwise_affine, AffineIsLayer, void)
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    using X = std::remove_cvref_t<decltype(e)>;
    constexpr bool ok = module_detail::ends_with<typename X::shape, D...>();
    static_assert(sizeof(NormFits<ok, RMSNormOf, typename X::shape, Shape<D...>>) > 0);
    if constexpr (ok) {
      const auto n =
          module_detail::normalized_last<false>(e, eps, std::make_integer_sequence<int, sizeof...(D)>{});
      return cast<module_detail::same_dtype<X>>(n * weight);
    } else {
      return weft::detail::refused<typename X::dtype, typename X::shape>(e, weight);
    }
  }
};
template <i64... D>
using RMSNorm = RMSNormOf<f32, D...>;

namespace module_detail {

// The same without a part of what is learned; Scale multiplies and adds what is there.
template <class Module, bool Centre, i64... D>
constexpr auto normalized_rows(const auto& x, float eps, const auto& scale) {
  const auto e = to_expr(x);
  using X = std::remove_cvref_t<decltype(e)>;
  constexpr bool ok = ends_with<typename X::shape, D...>();
  static_assert(sizeof(NormFits<ok, Module, typename X::shape, Shape<D...>>) > 0);
  if constexpr (ok)
    return cast<same_dtype<X>>(
        scale(normalized_last<Centre>(e, eps, std::make_integer_sequence<int, sizeof...(D)>{})));
  else
    return weft::detail::refused<typename X::dtype, typename X::shape>(e);
}

}  // namespace module_detail

// LayerNorm(bias=False), in f32; LayerNormNoBiasOf<f64, D...> has doubles.
template <class T, i64... D>
struct LayerNormNoBiasOf {
  Param<T, Shape<D...>, init::Ones> weight{};
  float eps = 1e-5f;  // added to the variance
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    return module_detail::normalized_rows<LayerNormNoBiasOf, true, D...>(x, eps,
                                                                         [&](auto n) { return n * weight; });
  }
};
template <i64... D>
using LayerNormNoBias = LayerNormNoBiasOf<f32, D...>;
// LayerNorm(elementwise_affine=False)
template <i64... D>
struct LayerNormNoAffine {
  float eps = 1e-5f;  // added to the variance
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    return module_detail::normalized_rows<LayerNormNoAffine, true, D...>(x, eps, [](auto n) { return n; });
  }
};
// RMSNorm(elementwise_affine=False)
template <i64... D>
struct RMSNormNoAffine {
  float eps = 1.1920928955078125e-07f;  // added to the mean of squares
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    return module_detail::normalized_rows<RMSNormNoAffine, false, D...>(x, eps, [](auto n) { return n; });
  }
};

WEFT_REFUSAL(GroupsDivide,
             "GroupNorm<groups, channels>: the number of channels is a multiple of the number of groups");

// x (N, C, ...) -> the same, each sample's channels normalised in Groups groups. weight and bias (C).
template <i64 Groups, i64 C = not_given, bool Affine = true, class T = f32>
struct GroupNorm {
  static_assert(sizeof(GroupsDivide<(Groups > 0 && C % Groups == 0), GivenSize<Groups>, Shape<C>>) > 0);
  module_detail::OneIf<Affine, Param<T, Shape<C>, init::Ones>> weight{};
  module_detail::OneIf<Affine, Param<T, Shape<C>, init::Zeros>> bias{};
  float eps = 1e-5f;  // added to the variance

  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    using X = std::remove_cvref_t<decltype(e)>;
    using S = typename X::shape;
    constexpr bool ok = S::rank >= 2 && S::value.extent[S::rank >= 2 ? 1 : 0] == C;
    static_assert(sizeof(NormFits<ok, GroupNorm, S, Shape<C>>) > 0);
    if constexpr (ok) {
      // weight and bias meet the channels inside their groups, so that a group is one row from end to end
      constexpr i64 per_group = C / Groups;
      constexpr i64 places = [] {
        i64 n = 1;
        for (int k = 2; k < S::rank; ++k) n *= S::value.extent[k];
        return n;
      }();
      const auto grouped = reshape<S::value.extent[0], Groups, per_group, places>(e);
      const auto n = module_detail::normalized<true, -2, -1>(grouped, eps);
      const auto y = module_detail::affine<Groups, per_group, 1>(n, weight, bias);
      using Y = std::remove_cvref_t<decltype(y)>;
      const Expr<typename Y::dtype, S> whole{ir::reshape(y.value, S::value)};
      return cast<module_detail::same_dtype<X>>(whole);
    } else {
      return weft::detail::refused<typename X::dtype, typename X::shape>(e);
    }
  }
};
template <i64 Groups, bool Affine, class T>
struct GroupNorm<Groups, not_given, Affine, T> : WithoutSizes<spelled::Linear, GivenSize<Groups>> {
  using WithoutSizes<spelled::Linear, GivenSize<Groups>>::WithoutSizes;
};
WEFT_REFUSED_SIZES(GroupNorm, not_given)

}  // namespace WEFT_NAMESPACE::nn
