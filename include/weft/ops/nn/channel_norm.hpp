#pragma once
// Normalisation over channels as functions: torch.nn.functional.group_norm, instance_norm, batch_norm. The
// layers of these names, which hold weights and running statistics, are in nn.

#include "weft/ops/nn/norm.hpp"
#include "weft/ops/shape/slicing.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(
    ChannelsFit,
    "group_norm, instance_norm and batch_norm take (N, C, ...) with what else they are given of shape "
    "(C); groups divide C, and instance_norm needs an axis behind the channels");

namespace detail {

template <class S>
struct channel_rule {
  static constexpr i64 channels = S::rank >= 2 ? S::value.extent[1] : 0;
  static constexpr Dims make() {
    Dims r = S::value;
    for (int k = 0; k < r.rank; ++k) r.extent[k] = k == 1 ? channels : 1;
    return r;
  }
  static constexpr Dims value = make();
};
// A number for each channel of a tensor of shape S, or a number for all.
template <class S, class V>
constexpr auto beside_channels(const V& v) {
  if constexpr (is_expr<V>)
    return Expr<typename V::dtype, shape_of<channel_rule<S>>>{ir::reshape(v.value, channel_rule<S>::value)};
  else
    return v;
}
template <class S, class... V>
inline constexpr bool channels_fit =
    S::rank >= 2 &&
    ((!is_expr<V> || shape_of_operand<V>::value == Shape<channel_rule<S>::channels>::value) && ...);

}  // namespace detail

// Each sample's channels in Groups groups (0: every channel on its own), then weight and bias of each
// channel.
template <i64 Groups>
struct GroupNormOp : Operation<GroupNormOp<Groups>> {
  template <ExprLike X, class W, class B, class E>
  static constexpr auto apply(ir::Builder& b, const X& x, const W& weight, const B& bias, const E& eps) {
    using S = typename X::shape;
    constexpr i64 channels = detail::channel_rule<S>::channels, groups = Groups == 0 ? channels : Groups;
    constexpr bool ok = detail::channels_fit<S, W, B> && groups >= 0 &&
                        (groups == 0 ? channels == 0 : channels % groups == 0) &&
                        (Groups > 0 || S::rank >= 3);
    static_assert(sizeof(ChannelsFit<ok, GroupNormOp, S, shape_of_operand<W>, shape_of_operand<B>>) > 0);
    using T = floating<typename X::dtype>;
    if constexpr (!ok) {
      return CastOp<T>::apply(b, x);
    } else if constexpr (X::shape::size == 0) {
      return CastOp<T>::apply(b, x);
    } else {
      constexpr i64 batch = S::value.extent[0];
      using Rows = Shape<batch * groups, X::shape::size / (batch * groups)>;
      const auto wide = CastOp<opmath<T>>::apply(b, x);
      const Expr<opmath<T>, Rows> rows{ir::reshape(wide.value, Rows::value)};
      const auto n = LayerNormOp<>::apply(b, rows, eps);
      const Expr<opmath<T>, S> y{ir::reshape(n.value, S::value)};
      return CastOp<T>::apply(
          b, add(mul(y, detail::beside_channels<S>(weight)), detail::beside_channels<S>(bias)));
    }
  }
};
// By given statistics, or by those of the batch.
template <bool Given>
struct BatchNormOp : Operation<BatchNormOp<Given>> {
  template <ExprLike X, class M, class V, class W, class B, class E>
  static constexpr auto apply(ir::Builder& b, const X& x, const M& mean, const V& variance, const W& weight,
                              const B& bias, const E& eps) {
    using S = typename X::shape;
    constexpr bool ok = detail::channels_fit<S, M, V, W, B>;
    static_assert(sizeof(ChannelsFit<ok, BatchNormOp, S, shape_of_operand<M>, shape_of_operand<V>,
                                     shape_of_operand<W>, shape_of_operand<B>>) > 0);
    using T = floating<typename X::dtype>;
    if constexpr (!ok) {
      return CastOp<T>::apply(b, x);
    } else {
      const auto wide = CastOp<opmath<T>>::apply(b, x);
      const auto scaled = [&](const auto& centred, const auto& spread) {
        const auto n = mul(centred, rsqrt(add(spread, eps)));
        return CastOp<T>::apply(
            b, add(mul(n, detail::beside_channels<S>(weight)), detail::beside_channels<S>(bias)));
      };
      if constexpr (Given) {
        const auto wider = [&](const auto& v) {
          return detail::beside_channels<S>(CastOp<opmath<T>>::apply(b, v));
        };
        return scaled(sub(wide, wider(mean)), wider(variance));
      } else {
        return [&]<int... K>(std::integer_sequence<int, K...>) {
          const auto centred = sub(wide, MeanOp<true, 0, (2 + K)...>::apply(b, wide));
          return scaled(centred, MeanOp<true, 0, (2 + K)...>::apply(b, mul(centred, centred)));
        }
        (std::make_integer_sequence<int, S::rank - 2>{});
      }
    }
  }
};

// group_norm<groups>(x), (x, weight, bias), eps last: x (N, C, ...), weight and bias (C).
template <i64 Groups, class X>
constexpr auto group_norm(const X& x, Epsilon eps = 1e-5) {
  return GroupNormOp<Groups>{}(x, 1, 0, eps.value);
}
template <i64 Groups, class X, class W, class B>
constexpr auto group_norm(const X& x, const W& weight, const B& bias, Epsilon eps = 1e-5) {
  return GroupNormOp<Groups>{}(x, weight, bias, eps.value);
}
// instance_norm(x), (x, weight, bias): each channel of each sample by its own statistics.
template <class X>
constexpr auto instance_norm(const X& x, Epsilon eps = 1e-5) {
  return GroupNormOp<0>{}(x, 1, 0, eps.value);
}
template <class X, class W, class B>
constexpr auto instance_norm(const X& x, const W& weight, const B& bias, Epsilon eps = 1e-5) {
  return GroupNormOp<0>{}(x, weight, bias, eps.value);
}
// batch_norm(x, mean, variance), (x, mean, variance, weight, bias): by those statistics, as in evaluation;
// batch_norm(x): by the batch's own, as in training.
template <class X>
constexpr auto batch_norm(const X& x, Epsilon eps = 1e-5) {
  return BatchNormOp<false>{}(x, 0, 1, 1, 0, eps.value);
}
template <class X, class M, class V>
constexpr auto batch_norm(const X& x, const M& mean, const V& variance, Epsilon eps = 1e-5) {
  return BatchNormOp<true>{}(x, mean, variance, 1, 0, eps.value);
}
template <class X, class M, class V, class W, class B>
constexpr auto batch_norm(const X& x, const M& mean, const V& variance, const W& weight, const B& bias,
                          Epsilon eps = 1e-5) {
  return BatchNormOp<true>{}(x, mean, variance, weight, bias, eps.value);
}

}  // namespace WEFT_NAMESPACE
