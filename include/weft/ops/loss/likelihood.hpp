#pragma once
// Losses that are negative log likelihoods, with torch.nn.functional's formulae, each reduced as its first
// template argument says: the mean over all elements where nothing is said. Targets are constants or are
// differentiated like the rest.

#include "weft/ops/core/written.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/ops/math/special.hpp"

namespace WEFT_NAMESPACE {

// What: the log probabilities' shape and the labels'.
WEFT_REFUSAL(NllLabelsMatch,
             "nll_loss: labels must have the log probabilities' shape without its last axis (the classes), "
             "and follow them: nll_loss(log_softmax<-1>(x), labels)");
WEFT_REFUSAL(NllLabelsAreIntegers,
             "nll_loss: labels must be integers (i32 or i64), as in<i32, 32> or cast<i32>(y) gives them");
WEFT_REFUSAL(NllClassWeightsFit,
             "nll_loss: the class weights must be a vector with one number for each class");

namespace detail {

// (t - 1) log(1 - p) - t log p, logarithms not below -100; the gradient divides by no less than 1e-12, as
// PyTorch's.
struct BceF {
  constexpr auto operator()(const auto& p, const auto& t) const {
    const auto at_least = [](const auto& x) { return where(lt(x, -100), -100, x); };
    const auto q = sub(1, p), log_p = log(p), log_q = log(q), spread = mul(q, p);
    const auto r = sub(mul(sub(t, 1), at_least(log_q)), mul(t, at_least(log_p)));
    return by_slopes(r, p, div(sub(p, t), where(lt(spread, 1e-12), 1e-12, spread)), t, sub(log_q, log_p));
  }
  constexpr auto operator()(const auto& p, const auto& t, const auto& w) const {
    return mul((*this)(p, t), w);
  }
};
// t (log t - x), t log t being 0 where t is; of logarithms exp(t) (t - x).
struct KlDivF {
  constexpr auto operator()(const auto& x, const auto& t) const {
    return sub(XlogyF<false>{}(t, t), mul(t, x));
  }
};
struct KlDivLogF {
  constexpr auto operator()(const auto& x, const auto& t) const { return mul(exp(t), sub(t, x)); }
};
// exp(x) - t x, or x - t log(x + eps); Full: plus Stirling's t log t - t + log(2 pi t) / 2 where t > 1.
template <bool LogInput, bool Full>
struct PoissonNllF {
  constexpr auto operator()(const auto& x, const auto& t, const auto& eps) const {
    const auto plain = [&] {
      if constexpr (LogInput)
        return sub(exp(x), mul(t, x));
      else
        return sub(x, mul(t, log(add(x, eps))));
    }();
    if constexpr (Full) {
      const auto small = le(t, 1);
      const auto n = where(small, 1, real(t));
      const auto rest = add(sub(mul(n, log(n)), n), mul(log(mul(n, 6.283185307179586)), 0.5));
      return add(plain, where(small, 0, rest));
    } else {
      return plain;
    }
  }
};
// (log v + (x - t)^2 / v) / 2, v = max(var, eps), whose gradient is that of var everywhere, as PyTorch's;
// Full: plus log(2 pi) / 2.
template <bool Full>
struct GaussianNllF {
  constexpr auto operator()(const auto& x, const auto& t, const auto& var, const auto& eps) const {
    const auto v = by_slopes(where(lt(var, eps), eps, var), var, 1);
    const auto d = sub(x, t);
    const auto loss = mul(add(log(v), div(mul(d, d), v)), 0.5);
    if constexpr (Full)
      return add(loss, 0.9189385332046727);
    else
      return loss;
  }
};
// log(1 + exp(-y x))
struct SoftMarginF {
  constexpr auto operator()(const auto& x, const auto& y) const { return softplus_of(neg(mul(y, real(x)))); }
};

}  // namespace detail

// log probabilities (..., C) with labels (...): -w[label] log_p[label], the mean over the sum of w; see
// cross_entropy for the class axis, the labels that count and the weights.
template <LossReduction R, int Axis>
struct NllLossOp : Operation<NllLossOp<R, Axis>> {
  template <ExprLike X, ExprLike L>
  static constexpr auto apply(ir::Builder& b, const X& log_p, const L& labels) {
    return run(b, log_p, labels, nullptr, i64{-100});
  }
  template <ExprLike X, ExprLike L, class W, class I>
  static constexpr auto apply(ir::Builder& b, const X& log_p, const L& labels, const W& weight,
                              const I& ignored) {
    return run(b, log_p, labels, weight, ignored);
  }

 private:
  template <class X, class L, class W, class I>
  static constexpr auto run(ir::Builder& b, const X& log_p, const L& labels, const W& weight,
                            const I& ignored) {
    using Rule = detail::without_axis<typename X::shape, Axis>;
    constexpr Dims d = X::shape::value;
    constexpr bool ok = axis_in_range(Axis, d.rank) && L::shape::value == Rule::value;
    constexpr bool fit = ok || detail::check_labels<NllLossOp, X, L, Axis>();
    static_assert(sizeof(NllLabelsMatch<fit, NllLossOp, typename X::shape, typename L::shape>) > 0);
    constexpr bool whole = is_integer(dtype_of<typename L::dtype>);
    static_assert(sizeof(NllLabelsAreIntegers<whole, NllLossOp, typename L::dtype>) > 0);
    constexpr bool fits = [] {
      if constexpr (is_expr<W>) return std::is_same_v<typename W::shape, Shape<Rule::classes>>;
      return true;
    }();
    static_assert(sizeof(NllClassWeightsFit<fits, NllLossOp, typename X::shape, W>) > 0);
    using T = typename X::dtype;
    if constexpr (ok && whole && fits) {
      const ir::Value label = ir::reshape(labels.value, ir::reduced(d, Rule::set));
      const detail::Counted counted = detail::counted_labels(b, label, Rule::classes, ignored);
      const ir::Value zero = ir::constant(b, dtype_of<T>, label.dims(), 0);
      ir::Value one = ir::constant(b, dtype_of<T>, label.dims(), 1);
      if constexpr (is_expr<W>) one = detail::row_weights(counted, ir::cast(weight.value, dtype_of<T>));
      ir::Value count{};
      if constexpr (R == LossReduction::mean)
        count = ir::reduce(ir::Op::reduce_sum, ir::select(counted.yes, one, zero), ir::all_axes(d.rank));
      const ir::Value column{&b, b.leaf(ir::Op::iota, label.dtype(), d, static_cast<u64>(Rule::axis))};
      const ir::Value hit = ir::binary(ir::Op::eq, column, label);
      ir::Value row = -ir::reduce(ir::Op::reduce_sum,
                                  ir::select(hit, log_p.value, ir::constant_like(log_p.value, 0)), Rule::set);
      if constexpr (is_expr<W>) row = row * one;
      return detail::reduced_rows<R, Rule, T>(ir::select(counted.yes, row, zero), count);
    } else {
      return detail::refused<T, std::conditional_t<R == LossReduction::none, shape_of<Rule>, Shape<>>>(
          log_p, labels);
    }
  }
};
// Binary cross entropy of probabilities; a weight broadcasts.
template <LossReduction R = reduction::mean, class A, class B>
constexpr auto bce(const A& p, const B& target) {
  return detail::ElementLoss<detail::BceF, R>{}(p, target);
}
template <LossReduction R = reduction::mean, class A, class B, class W>
constexpr auto bce(const A& p, const B& target, const W& weight) {
  return detail::ElementLoss<detail::BceF, R>{}(p, target, weight);
}
// nll_loss(log_p, labels), (log_p, labels, class_weights); ignore_index as in cross_entropy.
template <LossReduction R = reduction::mean, int Axis = -1, class X, class L>
constexpr auto nll_loss(const X& log_p, const L& labels) {
  return NllLossOp<R, Axis>{}(log_p, labels);
}
template <LossReduction R = reduction::mean, int Axis = -1, class X, class L, class W>
constexpr auto nll_loss(const X& log_p, const L& labels, const W& weight) {
  return NllLossOp<R, Axis>{}(log_p, labels, weight, i64{-100});
}
template <LossReduction R = reduction::mean, int Axis = -1, class X, class L, class W, class I>
requires std::is_integral_v<I>
constexpr auto nll_loss(const X& log_p, const L& labels, const W& weight, const I& ignore_index) {
  return NllLossOp<R, Axis>{}(log_p, labels, weight, static_cast<i64>(ignore_index));
}

// The divergence of the distribution `target` from the one whose logarithm is given. reduction::batchmean is
// the mathematical one; kl_div(x, t, log_target) takes the target's logarithm, too.
struct LogTarget {};
inline constexpr LogTarget log_target{};
template <LossReduction R = reduction::mean, class X, class T>
constexpr auto kl_div(const X& log_p, const T& target) {
  return detail::ElementLoss<detail::KlDivF, R>{}(log_p, target);
}
template <LossReduction R = reduction::mean, class X, class T>
constexpr auto kl_div(const X& log_p, const T& target, LogTarget) {
  return detail::ElementLoss<detail::KlDivLogF, R>{}(log_p, target);
}
// poisson_nll_loss<R, LogInput, Full>(x, target, eps): eps keeps log(x) finite where LogInput is false.
template <LossReduction R = reduction::mean, bool LogInput = true, bool Full = false, class X, class T>
constexpr auto poisson_nll_loss(const X& x, const T& target, Epsilon eps = 1e-8) {
  return detail::ElementLoss<detail::PoissonNllF<LogInput, Full>, R>{}(x, target, eps.value);
}
// What: the shape of the means and that of the variance.
WEFT_REFUSAL(
    VarianceFits,
    "gaussian_nll_loss: the variance has the shape of the means, the same without the last axis (one "
    "for each row), as many axes with extents of 1, or none");
template <LossReduction R, bool Full>
struct GaussianNllOp : Operation<GaussianNllOp<R, Full>> {
  template <class X, class T, class V, class E>
  static constexpr auto apply(ir::Builder& b, const X& x, const T& target, const V& variance, const E& eps) {
    using S = shape_of_operand<X>;
    using SV = shape_of_operand<V>;
    using Loss = detail::ElementLoss<detail::GaussianNllF<Full>, R>;
    constexpr bool rows =
        SV::rank > 0 && SV::rank + 1 == S::rank && SV::value == detail::without_axis<S, -1>::value;
    constexpr bool ok = rows || SV::rank == 0 || (SV::rank == S::rank && broadcastable(SV::value, S::value));
    static_assert(sizeof(VarianceFits<ok, GaussianNllOp, S, SV>) > 0);
    if constexpr (!ok)
      return Loss::apply(b, x, target, x, eps);
    else if constexpr (detail::is_number<V>)
      return Loss::apply(b, x, target, detail::number_as_value(variance, x), eps);
    else if constexpr (rows)
      return Loss::apply(b, x, target, UnsqueezeOp<-1>::apply(b, variance), eps);
    else
      return Loss::apply(b, x, target, variance, eps);
  }
};
// gaussian_nll_loss<R, Full>(mean, target, variance, eps): a variance for each element, or for each row.
template <LossReduction R = reduction::mean, bool Full = false, class X, class T, class V, Scalar E = double>
constexpr auto gaussian_nll_loss(const X& x, const T& target, const V& variance, E eps = E(1e-6)) {
  return GaussianNllOp<R, Full>{}(x, target, variance, Epsilon(eps).value);
}
// Targets are -1 or 1.
template <LossReduction R = reduction::mean, class X, class Y>
constexpr auto soft_margin_loss(const X& x, const Y& target) {
  return detail::ElementLoss<detail::SoftMarginF, R>{}(x, target);
}

}  // namespace WEFT_NAMESPACE
