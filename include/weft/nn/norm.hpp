#pragma once
// Normalisation: x minus its mean, over its standard deviation, times weight plus bias, with PyTorch's names,
// defaults and (biased) variances. Statistics of small floating types are taken in f32.

#include "weft/nn/channels.hpp"
#include "weft/nn/dropout.hpp"
#include "weft/nn/param.hpp"
#include "weft/ops/reduce.hpp"

namespace weft::nn {

// What: the shape of the input, then the shape or number of groups that the module was made for.
template <bool Ok, class Module, class... What>
struct NormFits {
  static_assert(Ok,
                "the input's shape does not fit the normalisation: its last axes (LayerNorm, RMSNorm) or its "
                "axis 1 (GroupNorm, BatchNorm) must be those the module was made for");
};

namespace module_detail {

// (x - mean) / sqrt(var + eps), or x / sqrt(mean(x^2) + eps), over the named axes.
template <bool Centre, int... A>
constexpr auto normalized(const auto& x, float eps) {
  const auto f = [&] {
    using T = typename std::remove_cvref_t<decltype(x)>::dtype;
    if constexpr (size_of(dtype_of<T>) < 4)
      return cast<f32>(x);
    else
      return x;
  }();
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
  if (S::rank < tail.rank) return false;
  for (int i = 0; i < tail.rank; ++i)
    if (S::value.extent[S::rank - tail.rank + i] != tail.extent[i]) return false;
  return true;
}

template <class X>
using same_dtype = typename X::dtype;

}  // namespace module_detail

// x (..., D...) -> the same. weight and bias (D...).
template <i64... D>
struct LayerNorm {
  Param<f32, Shape<D...>, init::Ones> weight{};
  Param<f32, Shape<D...>, init::Zeros> bias{};
  float eps = 1e-5f;

  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    using X = std::remove_cvref_t<decltype(e)>;
    constexpr bool ok = module_detail::ends_with<typename X::shape, D...>();
    static_assert(sizeof(NormFits<ok, LayerNorm, typename X::shape, Shape<D...>>) > 0);
    if constexpr (ok) {
      const auto n =
          module_detail::normalized_last<true>(e, eps, std::make_integer_sequence<int, sizeof...(D)>{});
      return cast<module_detail::same_dtype<X>>(n * weight + bias);
    } else {
      return weft::detail::refused<typename X::dtype, typename X::shape>(e, weight, bias);
    }
  }
};

// x (..., D...) -> x / sqrt(mean(x^2) + eps) times weight (D...). eps: PyTorch's default, the epsilon of f32.
template <i64... D>
struct RMSNorm {
  Param<f32, Shape<D...>, init::Ones> weight{};
  float eps = 1.1920928955078125e-07f;

  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    using X = std::remove_cvref_t<decltype(e)>;
    constexpr bool ok = module_detail::ends_with<typename X::shape, D...>();
    static_assert(sizeof(NormFits<ok, RMSNorm, typename X::shape, Shape<D...>>) > 0);
    if constexpr (ok) {
      const auto n =
          module_detail::normalized_last<false>(e, eps, std::make_integer_sequence<int, sizeof...(D)>{});
      return cast<module_detail::same_dtype<X>>(n * weight);
    } else {
      return weft::detail::refused<typename X::dtype, typename X::shape>(e, weight);
    }
  }
};

// x (N, C, ...) -> the same, each sample's channels normalised in Groups groups. weight and bias (C).
template <i64 Groups, i64 C>
struct GroupNorm {
  static_assert(Groups > 0 && C % Groups == 0,
                "GroupNorm: the number of channels is a multiple of the number of groups");
  Param<f32, Shape<C>, init::Ones> weight{};
  Param<f32, Shape<C>, init::Zeros> bias{};
  float eps = 1e-5f;

  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    using X = std::remove_cvref_t<decltype(e)>;
    using S = typename X::shape;
    constexpr bool ok = S::rank >= 2 && S::value.extent[S::rank >= 2 ? 1 : 0] == C;
    static_assert(sizeof(NormFits<ok, GroupNorm, S, Shape<C>>) > 0);
    if constexpr (ok) {
      const auto n = module_detail::normalized<true, -1>(reshape<S::value.extent[0], Groups, -1>(e), eps);
      using N = std::remove_cvref_t<decltype(n)>;
      const Expr<typename N::dtype, S> whole{ir::reshape(n.value, S::value)};
      constexpr auto after = std::make_integer_sequence<int, S::rank - 2>{};
      return cast<module_detail::same_dtype<X>>(whole * module_detail::along_channels<C>(weight, after) +
                                                module_detail::along_channels<C>(bias, after));
    } else {
      return weft::detail::refused<typename X::dtype, typename X::shape>(e, weight, bias);
    }
  }
};

// x (N, C) or (N, C, L), channels normalised over the batch. While training by the batch's statistics, which
// also move the running ones: running = (1 - momentum) running + momentum batch (the variance unbiased); by
// the running statistics otherwise. weight, bias, running_mean, running_var (C).
template <i64 C>
struct BatchNorm1d {
  Param<f32, Shape<C>, init::Ones> weight{};
  Param<f32, Shape<C>, init::Zeros> bias{};
  Buffer<f32, Shape<C>, init::Zeros> running_mean{};
  Buffer<f32, Shape<C>, init::Ones> running_var{};
  Buffer<i64, Shape<>, init::Zeros> num_batches_tracked{};
  float eps = 1e-5f;
  float momentum = 0.1f;
  Mode mode{};

  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    using X = std::remove_cvref_t<decltype(e)>;
    using S = typename X::shape;
    constexpr bool ok = (S::rank == 2 || S::rank == 3) && S::value.extent[S::rank >= 2 ? 1 : 0] == C;
    static_assert(sizeof(NormFits<ok, BatchNorm1d, S, Shape<C>>) > 0);
    if constexpr (!ok)
      return weft::detail::refused<typename X::dtype, S>(e, weight, bias);
    else if constexpr (S::rank == 2)
      return apply<0>(e);
    else
      return apply<0, 2>(e);
  }

 private:
  template <int... A, class X>
  constexpr auto apply(const X& x) const {
    constexpr auto after = std::make_integer_sequence<int, X::rank - 2>{};
    const auto f = cast<f32>(x);
    const auto gain = module_detail::along_channels<C>(weight, after);
    const auto shift = module_detail::along_channels<C>(bias, after);
    if (mode.training) {
      constexpr i64 count = X::size / C;
      if (count < 2)
        throw Error("batch_norm/one-value", "training needs more than one value for each channel");
      const auto average = mean<A...>(f, keepdim);
      const auto centred = sub(f, average);
      const auto variance = mean<A...>(mul(centred, centred), keepdim);
      running_mean.assign(track(running_mean, average, 1.0f));
      running_var.assign(
          track(running_var, variance, static_cast<float>(count) / static_cast<float>(count - 1)));
      num_batches_tracked.assign(add(num_batches_tracked, 1));
      return cast<module_detail::same_dtype<X>>(centred * rsqrt(variance + eps) * gain + shift);
    }
    const auto average = module_detail::along_channels<C>(running_mean, after);
    const auto variance = module_detail::along_channels<C>(running_var, after);
    return cast<module_detail::same_dtype<X>>((f - average) * rsqrt(variance + eps) * gain + shift);
  }
  constexpr auto track(const auto& running, const auto& batch, float scale) const {
    return add(mul(running, 1 - momentum), mul(reshape<C>(stop_gradient(batch)), momentum * scale));
  }
};

}  // namespace weft::nn
