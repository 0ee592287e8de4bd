#pragma once
// InstanceNorm1d, 2d and 3d: every channel of every sample normalised by itself. With running statistics
// (means over the samples of a training step) evaluation uses those instead, as PyTorch's does.

#include "weft/nn/norm.hpp"

namespace WEFT_NAMESPACE::nn {

struct InstanceNormOptions {
  bool affine = false;               // a weight and a bias for each channel
  bool track_running_stats = false;  // running statistics, which evaluation reads
  DType dtype = DType::f32;          // of parameters and running statistics
};

namespace module_detail {

// (N, C, ...), N = 1 where the sample stands alone.
template <class S, int Spatial>
struct batched_rule {
  static constexpr Dims make() {
    Dims d = S::value;
    if (d.rank == Spatial + 2) return d;
    d.rank = Spatial + 2;
    d.extent[0] = 1;
    for (int k = 0; k <= Spatial; ++k) d.extent[k + 1] = S::value.extent[k];
    return d;
  }
  static constexpr Dims value = make();
};

}  // namespace module_detail

// x (N, C, ...) or (C, ...) with Spatial axes after the channels. weight, bias, running_mean, running_var
// (C); num_batches_tracked stays 0, as in PyTorch.
template <int Spatial, i64 C, InstanceNormOptions Options>
struct InstanceNorm {
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
  float eps = 1e-5f;      // added to the variance
  float momentum = 0.1f;  // the batch's share in the running statistics
  Mode mode{};

  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    using X = std::remove_cvref_t<decltype(e)>;
    using S = typename X::shape;
    constexpr bool single = S::rank == Spatial + 1;
    constexpr bool ok = (single || S::rank == Spatial + 2) && S::value.extent[single ? 0 : 1] == C;
    static_assert(sizeof(NormFits<ok, InstanceNorm, S, Shape<C>>) > 0);
    if constexpr (ok) {
      using B = shape_of<module_detail::batched_rule<S, Spatial>>;
      const Expr<typename X::dtype, B> whole{ir::reshape(e.value, B::value)};
      return X{ir::reshape(apply(whole, std::make_integer_sequence<int, Spatial>{}).value, S::value)};
    } else {
      return weft::detail::refused<typename X::dtype, S>(e);
    }
  }

 private:
  template <class X, int... K>
  constexpr X apply(const X& x, std::integer_sequence<int, K...> after) const {
    constexpr i64 count = X::shape::size / C / X::shape::value.extent[0];
    if constexpr (Options.track_running_stats)
      if (!mode.training) return module_detail::by_running<C>(*this, x, after);
    if (mode.training && count < 2)
      return weft::detail::without_value<X>(*x.value.builder, ir::Valueless::one_value);
    const auto [average, variance, centred] = module_detail::moments<(K + 2)...>(module_detail::wide(x));
    if constexpr (Options.track_running_stats)
      module_detail::follow<count>(*this, average, variance,
                                   [this](const auto&... a) { return this->track(a...); });
    return module_detail::finished<C, X>(*this, centred, variance, after);
  }
  // The running value after a batch, whose value is the mean over its samples.
  constexpr auto track(const auto& running, const auto& each, double scale) const {
    const auto now = cast<module_detail::wide_dtype<T>>(reshape<C>(mean<0>(stop_gradient(each))));
    return cast<T>(add(mul(module_detail::wide(running), 1 - momentum),
                       mul(now, static_cast<double>(momentum) * scale)));
  }
};

template <i64 C, InstanceNormOptions Options = InstanceNormOptions{}>
using InstanceNorm1d = InstanceNorm<1, C, Options>;
template <i64 C, InstanceNormOptions Options = InstanceNormOptions{}>
using InstanceNorm2d = InstanceNorm<2, C, Options>;
template <i64 C, InstanceNormOptions Options = InstanceNormOptions{}>
using InstanceNorm3d = InstanceNorm<3, C, Options>;

}  // namespace WEFT_NAMESPACE::nn
