#pragma once
// Losses of a classification or regression, each reduced as its first template argument says (the mean, as in
// PyTorch). Law: labels outside [0, classes), PyTorch's ignore_index among them, count neither in the sum nor
// in the mean; without class weights or with them, the logits are read once forward and once backward.

#include "weft/ops/core/number_range.hpp"
#include "weft/ops/nn/activation.hpp"

namespace WEFT_NAMESPACE {

// What becomes of a loss's elements: mse_loss<reduction::sum>(x, y). batchmean: the sum over the first
// extent.
enum class LossReduction { none, mean, sum, batchmean };
namespace reduction {
// One loss an element or a row.
inline constexpr LossReduction none = LossReduction::none;
// Their mean, over those that count.
inline constexpr LossReduction mean = LossReduction::mean;
// Their sum.
inline constexpr LossReduction sum = LossReduction::sum;
// Their sum over the first extent.
inline constexpr LossReduction batchmean = LossReduction::batchmean;
}  // namespace reduction

// What: the logits' shape and the labels'.
WEFT_REFUSAL(LabelsMatch,
             "cross_entropy: labels must have the logits' shape without its last axis (the classes), and "
             "follow them: cross_entropy(logits, labels)");
// The same of cross_entropy and nll_loss.
WEFT_REFUSAL(ClassesAreLast,
             "the classes of the logits are expected along the last axis, and the labels fit classes along "
             "axis 1: name it, cross_entropy<reduction::mean, 1>(logits, labels), nll_loss<reduction::mean, "
             "1>(log_p, labels)");
WEFT_REFUSAL(LabelsAreOneARow,
             "the labels have an axis of extent 1 where the logits have the classes: leave it out, "
             "in<i64, 32> in place of in<i64, 32, 1>, or squeeze<-1>(labels)");
WEFT_REFUSAL(
    LabelsAreClasses,
    "integer labels are the numbers of classes, one a row, and these are one-hot: argmax<-1>(labels) "
    "gives the numbers, and cast<f32>(labels) is taken for probabilities");
WEFT_REFUSAL(
    LabelsAreIntegers,
    "cross_entropy: labels must be integers (i32 or i64), as in<i32, 32> or cast<i32>(y) gives them");
WEFT_REFUSAL(
    LogitsAreScores,
    "the first operand holds numbers of classes, integers, and a loss is of their logits, floating-point "
    "scores: leave argmax<-1>(...) out, cross_entropy(model(x), y), and for rows of scores that are "
    "integers write cast<f32>(logits)");
// What: the logits' shape and the weights'.
WEFT_REFUSAL(ClassWeightsFit,
             "cross_entropy: the class weights must be a vector with one number for each class");

namespace detail {

template <LossReduction R, class E>
constexpr auto reduced_loss(const E& e) {
  if constexpr (R == LossReduction::mean)
    return mean<>(e);
  else if constexpr (R == LossReduction::sum)
    return sum<>(e);
  else if constexpr (R == LossReduction::batchmean)
    return mul(sum<>(e), share_of(E::rank > 0 ? E::shape::value[0] : 1));
  else
    return e;
}

// F of two tensors of one shape (and numbers), reduced.
template <class F, LossReduction R>
struct ElementLoss : Operation<ElementLoss<F, R>> {
  template <class A, class B, class... More>
  static constexpr auto apply(ir::Builder&, const A& a, const B& b, const More&... more) {
    using SA = shape_of_operand<A>;
    using SB = shape_of_operand<B>;
    static_assert(sizeof(ShapesEqual<std::is_same_v<SA, SB>, F, SA, SB>) > 0);
    if constexpr (std::is_same_v<SA, SB>)
      return reduced_loss<R>(InSingle<F>{}(a, b, more...));
    else
      return reduced_loss<R>(a);
  }
};

template <class S, int Axis>
struct without_axis {
  static constexpr int axis = axis_in_range(Axis, S::rank) ? normalize_axis(Axis, S::rank) : 0;
  static constexpr ir::Axes set = 1u << axis;
  static constexpr Dims value = S::rank > 0 ? ir::dropped(S::value, set) : S::value;
  static constexpr i64 classes = S::rank > 0 ? S::value.extent[axis] : 1;
};

// False, after the sentence of what keeps labels (an L) from logits (an X), where PyTorch's users make that
// mistake.
template <class Op, class X, class L, int Axis>
constexpr bool check_labels() {
  using S = typename X::shape;
  constexpr bool chosen =
      !is_float(dtype_of<typename X::dtype>) && std::is_same_v<S, typename L::shape> && S::rank < 2;
  static_assert(sizeof(LogitsAreScores<!chosen, Op, S, typename X::dtype, typename L::shape>) > 0);
  constexpr bool whole = is_integer(dtype_of<typename L::dtype>), inside = axis_in_range(Axis, S::rank);
  constexpr bool second = Axis == -1 && S::rank > 2 && whole && L::shape::value == without_axis<S, 1>::value;
  static_assert(sizeof(ClassesAreLast<!second, Op, S, typename L::shape>) > 0);
  constexpr bool column = inside && whole && without_axis<S, Axis>::classes != 1 &&
                          L::shape::value == ir::reduced(S::value, without_axis<S, Axis>::set);
  static_assert(sizeof(LabelsAreOneARow<!column, Op, S, typename L::shape>) > 0);
  constexpr bool one_hot = inside && whole && L::shape::value == S::value && !column;
  static_assert(sizeof(LabelsAreClasses<!one_hot, Op, S, typename L::dtype>) > 0);
  return false;
}

template <class S>
constexpr bool is_zero(const S& s) {
  if constexpr (Scalar<S>)
    return s == 0;
  else
    return false;
}

// Of labels shaped as the rows they belong to (class axis of extent 1): which count, and their classes, 0
// where they do not.
struct Counted {
  ir::Value yes, label;
};
template <class I>
constexpr Counted counted_labels(ir::Builder& b, ir::Value label, i64 classes, const I& ignored) {
  ir::Value yes =
      ir::binary(ir::Op::bit_and, ir::binary(ir::Op::le, ir::constant_like(label, 0), label),
                 ir::binary(ir::Op::lt, label, ir::constant_like(label, static_cast<double>(classes))));
  bool outside = false;  // known to be no class
  if constexpr (Scalar<I>) {
    outside = ignored < 0 || static_cast<i64>(ignored) >= classes;
    ir::mark_labels(label, classes, false, static_cast<i64>(ignored));
  } else {
    ir::mark_labels(label, 0, true, 0);
  }
  if (!outside) {
    const ir::Value none = ir::cast(as_value<i64>(b, ignored), label.dtype());
    yes = ir::binary(ir::Op::bit_and, yes, ir::binary(ir::Op::ne, label, none));
  }
  return {yes, label};
}
// The weight of each row's class. A lookup, so that it is known before the logits are read.
constexpr ir::Value row_weights(const Counted& rows, ir::Value weight) {
  return ir::take_rows(weight, ir::select(rows.yes, rows.label, ir::constant_like(rows.label, 0)));
}
// Rows reduced: the mean divides by `count`, the weight of all rows that count.
template <LossReduction R, class Rule, class T>
constexpr auto reduced_rows(ir::Value rows, ir::Value count) {
  if constexpr (R == LossReduction::none) {
    return Expr<T, shape_of<Rule>>{ir::reshape(rows, Rule::value)};
  } else {
    const ir::Value total = ir::reduce(ir::Op::reduce_sum, rows, ir::all_axes(rows.dims().rank));
    return Expr<T, Shape<>>{ir::reshape(R == LossReduction::mean ? total / count : total, Dims{})};
  }
}

}  // namespace detail

// logits (..., C) with labels (...): logsumexp(logits) - logits[label], the classes along `Axis`. With class
// weights w (C) every row is multiplied by w[label], and the mean divides by the sum of those. Targets that
// are floating and shaped as the logits are probabilities: -sum(w t log softmax), the mean over rows.
// Smoothing s mixes the target with the uniform distribution: (1 - s) target + s / C.
template <LossReduction R, int Axis>
struct CrossEntropyOp : Operation<CrossEntropyOp<R, Axis>> {
  template <ExprLike X, ExprLike L>
  static constexpr auto apply(ir::Builder& b, const X& logits, const L& labels) {
    return run(b, logits, labels, i64{-100}, 0.0, nullptr);
  }
  template <ExprLike X, ExprLike L, class I, class S>
  static constexpr auto apply(ir::Builder& b, const X& logits, const L& labels, const I& ignored,
                              const S& smoothing) {
    return run(b, logits, labels, ignored, smoothing, nullptr);
  }
  template <ExprLike X, ExprLike L, class W>
  static constexpr auto apply(ir::Builder& b, const X& logits, const L& labels, const W& weight) {
    return run(b, logits, labels, i64{-100}, 0.0, weight);
  }
  template <ExprLike X, ExprLike L, class W, class I, class S>
  static constexpr auto apply(ir::Builder& b, const X& logits, const L& labels, const W& weight,
                              const I& ignored, const S& smoothing) {
    return run(b, logits, labels, ignored, smoothing, weight);
  }

 private:
  template <class X, class L, class I, class S, class W>
  static constexpr auto run(ir::Builder& b, const X& logits, const L& labels, const I& ignored,
                            const S& smoothing, const W& weight) {
    using Rule = detail::without_axis<typename X::shape, Axis>;
    using T = floating<typename X::dtype>;
    constexpr bool weighted = is_expr<W>;
    constexpr bool soft =
        is_float(dtype_of<typename L::dtype>) && std::is_same_v<typename L::shape, typename X::shape>;
    constexpr bool ok = soft || (axis_in_range(Axis, X::rank) && L::shape::value == Rule::value);
    constexpr bool fit = ok || detail::check_labels<CrossEntropyOp, X, L, Axis>();
    static_assert(sizeof(LabelsMatch<fit, CrossEntropyOp, typename X::shape, typename L::shape>) > 0);
    constexpr bool whole = soft || is_integer(dtype_of<typename L::dtype>);
    static_assert(sizeof(LabelsAreIntegers<whole, CrossEntropyOp, typename L::dtype>) > 0);
    bool fits = true;
    if constexpr (weighted) {
      constexpr bool vector = std::is_same_v<typename W::shape, Shape<Rule::classes>>;
      static_assert(sizeof(ClassWeightsFit<vector, CrossEntropyOp, typename X::shape, typename W::shape>) >
                    0);
      fits = vector;
    }
    using Result = std::conditional_t<R == LossReduction::none, shape_of<Rule>, Shape<>>;
    if constexpr (!ok || !whole) {
      return detail::refused<T, Result>(logits, labels);
    } else {
      if (!fits) return detail::refused<T, Result>(logits, labels);
      if (!detail::lies_in(smoothing, 0, 1))
        return detail::without_value<Expr<T, Result>>(b, ir::Valueless::no_share);
      if constexpr (soft)
        return of_probabilities<T>(b, logits, labels, smoothing, weight);
      else
        return of_labels<T>(b, logits, labels, ignored, smoothing, weight);
    }
  }

  template <class W>
  static constexpr ir::Value along(const W& weight, const Dims& d, DType t) {
    Dims shape = d;
    for (int i = 0; i < d.rank; ++i)
      if (i != normalize_axis(Axis, d.rank)) shape.extent[i] = 1;
    return ir::broadcast(ir::reshape(ir::cast(weight.value, t), shape), d);
  }

  template <class T, class X, class L, class I, class S, class W>
  static constexpr auto of_labels(ir::Builder& b, const X& logits, const L& labels, const I& ignored,
                                  const S& smoothing, const W& weight) {
    using Rule = detail::without_axis<typename X::shape, Axis>;
    constexpr Dims d = X::shape::value;
    constexpr i64 classes = Rule::classes;
    const auto x = CastOp<T>::apply(b, logits);
    const ir::Value label = ir::reshape(labels.value, ir::reduced(d, Rule::set));
    // counted first: every gradient is divided by the count, and the rows' kernel can then do both
    // directions
    const detail::Counted counted = detail::counted_labels(b, label, classes, ignored);
    const Dims rows = label.dims();
    ir::Value one = ir::constant(b, dtype_of<T>, rows, 1);
    const ir::Value zero = ir::constant(b, dtype_of<T>, rows, 0);
    if constexpr (is_expr<W>) one = detail::row_weights(counted, ir::cast(weight.value, dtype_of<T>));
    ir::Value count{};
    if constexpr (R == LossReduction::mean)
      count = ir::reduce(ir::Op::reduce_sum, ir::select(counted.yes, one, zero), ir::all_axes(d.rank));
    const ir::Value column{&b, b.leaf(ir::Op::iota, label.dtype(), d, static_cast<u64>(Rule::axis))};
    const ir::Value hit = ir::binary(ir::Op::eq, column, label);
    const auto shifted = sub(x, stop_gradient(detail::row_top<Axis>(b, x)));
    const ir::Value picked = ir::reduce(
        ir::Op::reduce_sum, ir::select(hit, shifted.value, ir::constant_like(shifted.value, 0)), Rule::set);
    const ir::Value spread = log(sum<Axis>(exp(shifted), keepdim)).value;
    ir::Value row = spread - picked;
    if constexpr (is_expr<W>) row = row * one;
    if (!detail::is_zero(smoothing)) {
      // s / C sum_c w_c (logsumexp - x_c)
      const ir::Value s = detail::as_value<T>(b, smoothing);
      const ir::Value each = ir::broadcast(spread, d) - shifted.value;
      ir::Value all = each;
      if constexpr (is_expr<W>) all = each * along(weight, d, dtype_of<T>);
      all = ir::reduce(ir::Op::reduce_sum, all, Rule::set) * detail::share_of(classes);
      row = row * (1.0 - s) + all * s;
    }
    return detail::reduced_rows<R, Rule, T>(ir::select(counted.yes, row, zero), count);
  }

  template <class T, class X, class L, class S, class W>
  static constexpr auto of_probabilities(ir::Builder& b, const X& logits, const L& targets,
                                         const S& smoothing, const W& weight) {
    using Rule = detail::without_axis<typename X::shape, Axis>;
    constexpr Dims d = X::shape::value;
    const auto x = CastOp<T>::apply(b, logits);
    ir::Value target = ir::cast(targets.value, dtype_of<T>);
    if (!detail::is_zero(smoothing)) {
      const ir::Value s = detail::as_value<T>(b, smoothing);
      target = target * (1.0 - s) + s * detail::share_of(Rule::classes);
    }
    if constexpr (is_expr<W>) target = target * along(weight, d, dtype_of<T>);
    const auto shifted = sub(x, stop_gradient(detail::row_top<Axis>(b, x)));
    const ir::Value spread = log(sum<Axis>(exp(shifted), keepdim)).value;
    const ir::Value row =
        ir::reduce(ir::Op::reduce_sum, target * (ir::broadcast(spread, d) - shifted.value), Rule::set);
    constexpr double count = static_cast<double>(Rule::classes > 0 ? X::shape::size / Rule::classes : 0);
    return detail::reduced_rows<R, Rule, T>(row, ir::constant(b, dtype_of<T>, Dims{}, count));
  }
};

// ignore_index: a label that does not count, beside all that are no class.
struct CrossEntropyOptions {
  i64 ignore_index = -100;     // a label that counts for nothing
  double label_smoothing = 0;  // share of the target spread over all classes, in [0, 1]
};

// cross_entropy(logits, labels), (logits, labels, class_weights), options last:
// cross_entropy<reduction::sum>(logits, labels, {.label_smoothing = 0.1}).
template <LossReduction R = reduction::mean, int Axis = -1, class X, class L>
constexpr auto cross_entropy(const X& logits, const L& labels) {
  return CrossEntropyOp<R, Axis>{}(logits, labels);
}
template <LossReduction R = reduction::mean, int Axis = -1, class X, class L>
constexpr auto cross_entropy(const X& logits, const L& labels, CrossEntropyOptions options) {
  return CrossEntropyOp<R, Axis>{}(logits, labels, options.ignore_index,
                                   detail::checked_in(options.label_smoothing, 0, 1, detail::share_text));
}
template <LossReduction R = reduction::mean, int Axis = -1, class X, class L, Operand W>
constexpr auto cross_entropy(const X& logits, const L& labels, const W& weight) {
  return CrossEntropyOp<R, Axis>{}(logits, labels, weight);
}
template <LossReduction R = reduction::mean, int Axis = -1, class X, class L, Operand W>
constexpr auto cross_entropy(const X& logits, const L& labels, const W& weight, CrossEntropyOptions options) {
  return CrossEntropyOp<R, Axis>{}(logits, labels, weight, options.ignore_index,
                                   detail::checked_in(options.label_smoothing, 0, 1, detail::share_text));
}

WEFT_REFUSAL(ReductionIsFirst,
             "the reduction is the first template argument, and the axis of the classes the second: write "
             "cross_entropy<reduction::mean, 1>(logits, labels)");
template <int Axis, class X, class L, class... More>
constexpr auto cross_entropy(const X& logits, const L& labels, const More&...) {
  static_assert(sizeof(ReductionIsFirst<sizeof(X) == 0, GivenAxis<Axis>, X>) > 0);
  return CrossEntropyOp<reduction::mean, Axis>{}(logits, labels);
}
WEFT_REFUSAL(WeightIsTensor,
             "cross_entropy: a third operand is a tensor of class weights, an input in<f32, 3> or a member "
             "nn::Buffer<f32, Shape<3>>: options stand in braces, cross_entropy(logits, labels, "
             "{.label_smoothing = 0.1f})");
template <LossReduction R = reduction::mean, int Axis = -1, class X, class L, std::floating_point W>
constexpr auto cross_entropy(const X& logits, const L& labels, std::initializer_list<W>) {
  static_assert(sizeof(WeightIsTensor<sizeof(W) == 0, W>) > 0);
  return CrossEntropyOp<R, Axis>{}(logits, labels);
}
template <LossReduction R = reduction::mean, int Axis = -1, class X, class L, Operand W>
requires std::is_arithmetic_v<W>
constexpr auto cross_entropy(const X& logits, const L& labels, const W&) {
  static_assert(sizeof(WeightIsTensor<sizeof(W) == 0, W>) > 0);
  return CrossEntropyOp<R, Axis>{}(logits, labels);
}

namespace detail {

struct MseLoss {
  constexpr auto operator()(const auto& a, const auto& b) const {
    const auto d = sub(a, b);
    return mul(d, d);
  }
};
// (1 - t) x - log sigmoid(x); p multiplies what positive targets cost, w everything.
struct BceWithLogits {
  constexpr auto operator()(const auto& x, const auto& t) const {
    const auto r = sub(mul(sub(1, t), x), logsigmoid_of(x));
    return by_slopes(r, x, sub(UnaryOp<ir::Op::sigmoid, true>{}(x), t), t, neg(x));
  }
  constexpr auto operator()(const auto& x, const auto& t, const auto& w) const {
    return mul((*this)(x, t), w);
  }
  // (1 - t) x - (1 + (p - 1) t) log sigmoid(x)
  template <class X, class P>
  constexpr auto operator()(const X& x, const auto& t, const auto& w, const P& p) const {
    if constexpr (is_expr<P>) {
      return mul(sub(mul(sub(1, t), x), mul(add(mul(sub(p, 1), t), 1), logsigmoid_of(x))), w);
    } else {
      using T = typename X::dtype;
      return (*this)(x, t, w, Expr<T, Shape<>>{as_value<T>(*x.value.builder, p)});
    }
  }
};

}  // namespace detail

// (a - b)^2
template <LossReduction R = reduction::mean, class A, class B>
constexpr auto mse_loss(const A& a, const B& b) {
  return detail::ElementLoss<detail::MseLoss, R>{}(a, b);
}

// What positive targets are multiplied by, a tensor or a number: bce_with_logits(x, t, pos_weight(p)).
template <class P>
struct PosWeight {
  P value;
};
template <class P>
constexpr PosWeight<P> pos_weight(const P& p) {
  return {p};
}
// Binary cross entropy on logits; weight and pos_weight broadcast.
template <LossReduction R = reduction::mean, class A, class B>
constexpr auto bce_with_logits(const A& x, const B& target) {
  return detail::ElementLoss<detail::BceWithLogits, R>{}(x, target);
}
template <LossReduction R = reduction::mean, class A, class B, Operand W>
constexpr auto bce_with_logits(const A& x, const B& target, const W& weight) {
  return detail::ElementLoss<detail::BceWithLogits, R>{}(x, target, weight);
}
template <LossReduction R = reduction::mean, class A, class B, class P>
constexpr auto bce_with_logits(const A& x, const B& target, const PosWeight<P>& positive) {
  return detail::ElementLoss<detail::BceWithLogits, R>{}(x, target, 1, positive.value);
}
template <LossReduction R = reduction::mean, class A, class B, Operand W, class P>
constexpr auto bce_with_logits(const A& x, const B& target, const W& weight, const PosWeight<P>& positive) {
  return detail::ElementLoss<detail::BceWithLogits, R>{}(x, target, weight, positive.value);
}

}  // namespace WEFT_NAMESPACE
