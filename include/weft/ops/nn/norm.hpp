#pragma once
// Normalisation along the last axis, or the last ones, whose extents are named: layer_norm<4, 8>(x). Reduced
// values keep their axes, so that each of these is one kernel that reads a row once.

#include "weft/ops/reduce/reduce.hpp"

namespace WEFT_NAMESPACE {

// What: the shape of x, then the extents that are named.
WEFT_REFUSAL(NormalizedShapeFits,
             "the extents named for a normalisation must be those of the tensor's last axes");
// What: the shape of x, then that of the weight or bias.
WEFT_REFUSAL(WeightMatchesRow,
             "the weight and the bias of a normalisation must have the extent of the last axis, or the "
             "extents that are named");

namespace detail {
// The axes that are normalised: as many from the end as extents D are named, one where none is.
template <class S, i64... D>
struct normalized_axes {
  static constexpr int count = sizeof...(D) == 0 ? 1 : sizeof...(D);
  static constexpr bool ends_with(const Dims& tail) {
    if (S::rank < tail.rank) return false;
    for (int k = 0; k < tail.rank; ++k)
      if (S::value.extent[S::rank - tail.rank + k] != tail.extent[k]) return false;
    return true;
  }
  static constexpr bool ok = S::rank >= count && ends_with(Shape<D...>::value);
  // Whether a weight's shape is that of the axes.
  template <class W>
  static constexpr bool fits = ok&& W::rank == count&& ends_with(W::value);
};

// The mean over those axes, which stay.
template <class X, int... K>
constexpr auto row_mean(ir::Builder& b, const X& x, std::integer_sequence<int, K...>) {
  return MeanOp<true, (-1 - K)...>::apply(b, x);
}
template <i64... D, class X>
constexpr auto row_mean(ir::Builder& b, const X& x) {
  using Rule = normalized_axes<typename X::shape, D...>;
  return row_mean(b, x, std::make_integer_sequence < int, Rule::ok ? Rule::count : 0 > {});
}

// A row rounded once, to the dtype that the operands have in common.
template <class X, class W, class... More, class R>
constexpr auto rounded_row(ir::Builder& b, const R& row) {
  using T = common<Expr<floating<typename X::dtype>, Shape<>>, W>;
  if constexpr (sizeof...(More) == 0)
    return CastOp<T>::apply(b, row);
  else
    return rounded_row<Expr<T, Shape<>>, More...>(b, row);
}

}  // namespace detail

// (x - mean) / sqrt(variance + eps), then times weight plus bias: torch.nn.functional.layer_norm.
template <i64... D>
struct LayerNormOp : Operation<LayerNormOp<D...>> {
  template <class X, class E>
  static constexpr auto normalized(ir::Builder& b, const X& x, const E& eps) {
    constexpr bool ok = detail::normalized_axes<typename X::shape, D...>::ok;
    static_assert(sizeof(NormalizedShapeFits<ok, LayerNormOp, typename X::shape, Shape<D...>>) > 0);
    const auto wide = CastOp<opmath<typename X::dtype>>::apply(b, x);
    const auto centred = sub(wide, detail::row_mean<D...>(b, wide));
    const auto variance = detail::row_mean<D...>(b, mul(centred, centred));
    return mul(centred, rsqrt(add(variance, eps)));
  }
  // normalized() where the weight fits, or a sentence.
  template <class W, class X, class E>
  static constexpr auto row(ir::Builder& b, const X& x, const W& weight, const E& eps) {
    using Rule = detail::normalized_axes<typename X::shape, D...>;
    constexpr bool fits = !Rule::ok || Rule::template fits<typename W::shape>;
    static_assert(sizeof(WeightMatchesRow<fits, LayerNormOp, typename X::shape, typename W::shape>) > 0);
    if constexpr (fits)
      return mul(normalized(b, x, eps), weight);
    else
      return normalized(b, x, eps);
  }
  template <ExprLike X, class E>
  static constexpr auto apply(ir::Builder& b, const X& x, const E& eps) {
    return CastOp<floating<typename X::dtype>>::apply(b, normalized(b, x, eps));
  }
  template <class X, class W, class E>
  static constexpr auto apply(ir::Builder& b, const X& x, const W& weight, const E& eps) {
    return detail::rounded_row<X, W>(b, row(b, x, weight, eps));
  }
  template <ExprLike X, class W, ExprLike B, class E>
  static constexpr auto apply(ir::Builder& b, const X& x, const W& weight, const B& bias, const E& eps) {
    using Rule = detail::normalized_axes<typename X::shape, D...>;
    constexpr bool fits = !Rule::ok || Rule::template fits<typename B::shape>;
    static_assert(sizeof(WeightMatchesRow<fits, LayerNormOp, typename X::shape, typename B::shape>) > 0);
    if constexpr (fits)
      return detail::rounded_row<X, W, B>(b, add(row(b, x, weight, eps), bias));
    else
      return apply(b, x, weight, eps);
  }
};

// x / sqrt(mean(x^2) + eps), times weight: torch.nn.functional.rms_norm.
template <i64... D>
struct RmsNormOp : Operation<RmsNormOp<D...>> {
  // eps: PyTorch's, the distance from 1 to the next number of the dtype that it is computed in.
  template <class X>
  static constexpr double default_eps =
      static_cast<double>(std::numeric_limits<opmath<typename X::dtype>>::epsilon());

  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    return apply(b, x, default_eps<X>);
  }
  template <class X, class W>
  requires is_expr<W>
  static constexpr auto apply(ir::Builder& b, const X& x, const W& weight) {
    return apply(b, x, weight, default_eps<X>);
  }
  template <class X, class E>
  requires(!is_expr<E>) static constexpr auto apply(ir::Builder& b, const X& x, const E& eps) {
    return CastOp<floating<typename X::dtype>>::apply(b, normalized(b, x, eps));
  }
  template <ExprLike X, ExprLike W, class E>
  static constexpr auto apply(ir::Builder& b, const X& x, const W& weight, const E& eps) {
    using Rule = detail::normalized_axes<typename X::shape, D...>;
    constexpr bool fits = !Rule::ok || Rule::template fits<typename W::shape>;
    static_assert(sizeof(WeightMatchesRow<fits, RmsNormOp, typename X::shape, typename W::shape>) > 0);
    if constexpr (fits)
      return detail::rounded_row<X, W>(b, mul(normalized(b, x, eps), weight));
    else
      return apply(b, x, eps);
  }
  template <class X, class E>
  static constexpr auto normalized(ir::Builder& b, const X& x, const E& eps) {
    constexpr bool ok = detail::normalized_axes<typename X::shape, D...>::ok;
    static_assert(sizeof(NormalizedShapeFits<ok, RmsNormOp, typename X::shape, Shape<D...>>) > 0);
    const auto wide = CastOp<opmath<typename X::dtype>>::apply(b, x);
    const auto square = detail::row_mean<D...>(b, mul(wide, wide));
    return mul(wide, rsqrt(add(square, eps)));
  }
};

// layer_norm(x), (x, weight), (x, weight, bias) over the last axis, layer_norm<4, 8>(...) over the last two,
// of those extents; eps last.
template <i64... D, class X>
constexpr auto layer_norm(const X& x, Epsilon eps = 1e-5) {
  return LayerNormOp<D...>{}(x, eps.value);
}
template <i64... D, class X, class W>
requires(!Scalar<W>) constexpr auto layer_norm(const X& x, const W& weight, Epsilon eps = 1e-5) {
  return LayerNormOp<D...>{}(x, weight, eps.value);
}
template <i64... D, class X, class W, class B>
requires(!Scalar<W> && !Scalar<B>) constexpr auto layer_norm(const X& x, const W& weight, const B& bias,
                                                             Epsilon eps = 1e-5) {
  return LayerNormOp<D...>{}(x, weight, bias, eps.value);
}
// rms_norm(x), (x, weight), over the axes that are named as those of layer_norm; eps last: as PyTorch's, the
// dtype's own unless it is given.
template <i64... D, class X>
constexpr auto rms_norm(const X& x) {
  return RmsNormOp<D...>{}(x);
}
template <i64... D, class X>
constexpr auto rms_norm(const X& x, Epsilon eps) {
  return RmsNormOp<D...>{}(x, eps.value);
}
template <i64... D, class X, class W>
requires(!Scalar<W>) constexpr auto rms_norm(const X& x, const W& weight) {
  return RmsNormOp<D...>{}(x, weight);
}
template <i64... D, class X, class W>
requires(!Scalar<W>) constexpr auto rms_norm(const X& x, const W& weight, Epsilon eps) {
  return RmsNormOp<D...>{}(x, weight, eps.value);
}

}  // namespace WEFT_NAMESPACE
