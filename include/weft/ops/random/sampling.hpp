#pragma once
// Drawing from what a program computes: torch.multinomial, randperm and torch.nn.functional.gumbel_softmax.

#include "weft/ops/core/number_range.hpp"
#include "weft/ops/index/sort.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/random/distribution.hpp"
#include "weft/ops/reduce/scan.hpp"

namespace WEFT_NAMESPACE {

struct Replacement {};
inline constexpr Replacement replacement{};

WEFT_REFUSAL(WeightsOfClasses, "multinomial takes weights (..., classes) of floats, of one class at least");
WEFT_REFUSAL(ClassesSuffice,
             "multinomial draws different classes, at most as many as there are: multinomial<5>(weights, "
             "replacement) draws each on its own");

// N different classes a row, without replacement: those with the greatest weight over exponential number
// (Efraimidis and Spirakis, 2006).
template <i64 N, bool Replace>
struct MultinomialOp : Operation<MultinomialOp<N, Replace>> {
  using weft_draws = void;
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& in) {
    constexpr bool ok = X::rank >= 1 && is_float(dtype_of<typename X::dtype>) &&
                        X::shape::value.extent[X::rank >= 1 ? X::rank - 1 : 0] >= 1;
    static_assert(sizeof(WeightsOfClasses<ok, MultinomialOp, typename X::shape>) > 0);
    constexpr bool enough =
        Replace || !ok || (N >= 1 && N <= X::shape::value.extent[X::rank >= 1 ? X::rank - 1 : 0]);
    static_assert(sizeof(ClassesSuffice<enough, MultinomialOp, typename X::shape, GivenSize<N>>) > 0);
    using R = Expr<i64, shape_of<detail::selected_rule<typename X::shape, -1, N>>>;
    if constexpr (!ok || !enough) {
      return detail::refused<i64, typename R::shape>(in);
    } else {
      const auto x = CastOp<opmath<typename X::dtype>>::apply(b, in);
      using T = typename decltype(x)::dtype;
      if constexpr (Replace) {
        const auto sums = ScanOp<-1, ir::Fold::sum>::apply(b, x);
        const auto total = NarrowOp<-1, X::shape::value[-1] - 1, 1>::apply(b, sums);
        // of 23 bits: times the sum it is less than the sum, however that rounds
        const Expr<T, typename R::shape> u{
            ir::cast(detail::uniform_bits(b, R::shape::value, 23), dtype_of<T>)};
        return R{ir::searchsorted(sums.value, mul(u, total).value, true)};
      } else {
        const Expr<T, typename X::shape> q{
            ir::cast(detail::exponential_bits(b, X::shape::value), dtype_of<T>)};
        return ArgSortOp<-1, true, N>::apply(b, div(x, q));
      }
    }
  }
};

// A random order of 0 ... N - 1, by keys of 64 random bits.
template <class T, i64 N>
struct RandPermOp : Operation<RandPermOp<T, N>> {
  using weft_draws = void;
  static constexpr auto apply(ir::Builder& b) {
    const Dims d = Shape<N>::value;
    const ir::Value high = ir::cast(detail::random_bits(b, d), DType::i64) - 2147483648.0;
    const ir::Value key = high * 4294967296.0 + ir::cast(detail::random_bits(b, d), DType::i64);
    return Expr<T, Shape<N>>{ir::cast(ir::argsort(key, 0, false, N), dtype_of<T>)};
  }
};

// softmax((x + g) / tau), g of Gumbel's distribution (Jang et al., 2017). Hard: a one where it is greatest,
// zeros elsewhere, with the gradient of the softmax.
template <int Axis, bool Hard>
struct GumbelSoftmaxOp : Operation<GumbelSoftmaxOp<Axis, Hard>> {
  using weft_draws = void;
  template <ExprLike X, class Tau>
  static constexpr auto apply(ir::Builder& b, const X& in, const Tau& tau) {
    constexpr bool ok = axis_in_range(Axis, X::rank);
    static_assert(sizeof(AxisInRange<ok, GumbelSoftmaxOp, typename X::shape>) > 0);
    const auto x = CastOp<opmath<typename X::dtype>>::apply(b, in);
    if constexpr (!ok) {
      return x;
    } else {
      using T = typename decltype(x)::dtype;
      using R = Expr<floating<typename X::dtype>, typename X::shape>;
      if (!detail::lies_in(tau, detail::least_positive, detail::unlimited))
        return detail::without_value<R>(b, ir::Valueless::no_scale);
      const Expr<T, typename X::shape> q{ir::cast(detail::exponential_bits(b, X::shape::value), dtype_of<T>)};
      const auto soft = SoftmaxOp<Axis>::apply(b, div(sub(x, log(q)), tau));
      const ir::Value rounded = ir::cast(soft.value, dtype_of<typename R::dtype>);
      if constexpr (!Hard) {
        return R{rounded};
      } else {
        constexpr int axis = normalize_axis(Axis, X::rank);
        const ir::Value place{&b, b.leaf(ir::Op::iota, DType::i64, X::shape::value, static_cast<u64>(axis))};
        const ir::Value best = ir::reduce(ir::Op::argmax, soft.value, ir::Axes{1} << axis);
        const ir::Value one = ir::cast(ir::binary(ir::Op::eq, place, best), dtype_of<typename R::dtype>);
        return R{ir::surrogate(one, rounded)};
      }
    }
  }
};

// multinomial<n>(weights): n different classes of each row of weights (..., classes), i64; with `replacement`
// each drawn on its own. Weights need not sum to one.
template <i64 N, class X>
constexpr auto multinomial(const X& weights) {
  return MultinomialOp<N, false>{}(weights);
}
template <i64 N, class X>
constexpr auto multinomial(const X& weights, Replacement) {
  return MultinomialOp<N, true>{}(weights);
}
// randperm<i64, n>()
template <class T, i64 N>
constexpr auto randperm() {
  return RandPermOp<T, N>{}();
}
// gumbel_softmax(logits, tau), gumbel_softmax<axis, hard>(logits, tau)
template <int Axis = -1, bool Hard = false, class X, class Tau = int>
constexpr auto gumbel_softmax(const X& logits, const Tau& tau = 1) {
  return GumbelSoftmaxOp<Axis, Hard>{}(
      logits, detail::checked_in(tau, detail::least_positive, detail::unlimited, detail::scale_text));
}

}  // namespace WEFT_NAMESPACE
