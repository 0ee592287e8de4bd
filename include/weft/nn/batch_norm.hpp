#pragma once
// BatchNorm1d, 2d and 3d: channels normalised over the batch while training, by running statistics while
// evaluating. Law: a training step uses its batch's (biased) statistics and moves the running ones,
// running = (1 - momentum) running + momentum batch with the unbiased variance; evaluation changes nothing.

#include "weft/nn/norm.hpp"

namespace WEFT_NAMESPACE::nn {

// Without `affine` there is no weight and bias; without running statistics evaluation takes the batch's, too.
struct BatchNormOptions {
  bool affine = true;               // a weight and a bias for each channel
  bool track_running_stats = true;  // running statistics, which evaluation reads
  DType dtype = DType::f32;         // of parameters and running statistics
};

// x (N, C, ...) with Spatial axes after the channels, of a batch norm of one axis none or one. weight, bias,
// running_mean, running_var (C). `cumulative`, PyTorch's momentum=None: the mean over all batches so far.
template <int Spatial, i64 C, BatchNormOptions Options>
struct BatchNorm {
  using T = ctype<Options.dtype>;
  template <class State>
  using Learned = module_detail::OneIf<Options.affine, State>;
  template <class State>
  using Tracked = module_detail::OneIf<Options.track_running_stats, State>;

  Learned<Param<T, Shape<C>, init::Ones>> weight{};
  Learned<Param<T, Shape<C>, init::Zeros>> bias{};
  Tracked<Buffer<T, Shape<C>, init::Zeros>> running_mean{};
  Tracked<Buffer<T, Shape<C>, init::Ones>> running_var{};
  Tracked<Buffer<i64, Shape<>, init::Zeros>> num_batches_tracked{};
  float eps = 1e-5f;        // added to the variance
  float momentum = 0.1f;    // the batch's share in the running statistics
  bool cumulative = false;  // running statistics are means over all batches: momentum None
  Mode mode{};

  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    using X = std::remove_cvref_t<decltype(e)>;
    using S = typename X::shape;
    constexpr bool axes = S::rank == Spatial + 2 || (Spatial == 1 && S::rank == 2);
    constexpr bool ok = axes && S::value.extent[S::rank >= 2 ? 1 : 0] == C;
    static_assert(sizeof(NormFits<ok, BatchNorm, S, Shape<C>>) > 0);
    if constexpr (ok)
      return apply(e, std::make_integer_sequence<int, S::rank - 2>{});
    else
      return weft::detail::refused<typename X::dtype, S>(e);
  }

 private:
  template <class X, int... K>
  constexpr auto apply(const X& x, std::integer_sequence<int, K...> after) const {
    if (mode.training || !Options.track_running_stats) {
      constexpr i64 count = X::shape::size / C;
      if (mode.training && count < 2)
        return weft::detail::without_value<X>(*x.value.builder, ir::Valueless::one_value);
      const auto [average, variance, centred] = module_detail::moments<0, (K + 2)...>(module_detail::wide(x));
      if constexpr (Options.track_running_stats) {
        module_detail::follow<count>(*this, average, variance,
                                     [this](const auto&... a) { return this->track(a...); });
        num_batches_tracked.assign(add(num_batches_tracked.latest(), 1));
      }
      return module_detail::finished<C, X>(*this, centred, variance, after);
    }
    if constexpr (Options.track_running_stats)
      return module_detail::by_running<C>(*this, x, after);
    else
      return X{};
  }
  // The running value after a batch.
  constexpr auto track(const auto& running, const auto& batch, double scale) const {
    using W = module_detail::wide_dtype<T>;
    const auto old = module_detail::wide(running);
    const auto now = cast<W>(reshape<C>(stop_gradient(batch)));
    if (cumulative) {
      const auto part = div(1.0f, cast<W>(add(num_batches_tracked.latest(), 1)));
      return cast<T>(add(mul(old, sub(1, part)), mul(mul(now, scale), part)));
    }
    return cast<T>(add(mul(old, 1 - momentum), mul(now, static_cast<double>(momentum) * scale)));
  }
};

template <i64 C, OptionsOf<BatchNormOptions> Options = BatchNormOptions{}, auto... More>
using BatchNorm1d =
    BatchNorm<1, C, options_alone<BatchNormOptions, spelled::BatchNorm1d, Options, More...>()>;
template <i64 C, OptionsOf<BatchNormOptions> Options = BatchNormOptions{}, auto... More>
using BatchNorm2d =
    BatchNorm<2, C, options_alone<BatchNormOptions, spelled::BatchNorm2d, Options, More...>()>;
template <i64 C, OptionsOf<BatchNormOptions> Options = BatchNormOptions{}, auto... More>
using BatchNorm3d =
    BatchNorm<3, C, options_alone<BatchNormOptions, spelled::BatchNorm3d, Options, More...>()>;

}  // namespace WEFT_NAMESPACE::nn
