#pragma once
// Metrics of classification, as functions in the graph: of logits (..., C), or predicted classes (...),
// beside labels (...). Labels outside [0, classes) do not count, so a padded batch measures what is in it. No
// gradient flows. nn/metric.hpp adds them up over batches.

#include "weft/ops/index/padded_results.hpp"
#include "weft/ops/loss/cross_entropy.hpp"

namespace WEFT_NAMESPACE {

// How one number comes from those of the classes: not at all, from the sums of all counts, their mean over
// the classes that occur (as labels or predictions), or that mean weighted with how often each is a label.
enum class Average { none, micro, macro, weighted };

// What: the shape of the logits or predictions, and the labels'.
WEFT_REFUSAL(
    MetricFits,
    "a metric of classes takes logits (..., C) or whole predictions (...) first, and whole labels (...) "
    "second");
WEFT_REFUSAL(
    ClassesAreCounted,
    "predictions do not say how many classes there are: confusion_matrix<10>(predictions, labels), or give "
    "it logits (..., C)");
// What: the shape given.
WEFT_REFUSAL(MatrixIsSquare, "precision_score, recall_score and f1_score take a confusion matrix (C, C)");

namespace detail {

template <class X, class L>
inline constexpr bool is_logits =
    X::rank >= 1 && X::rank == L::rank + 1 &&
    is_float(dtype_of<typename X::dtype>) && L::shape::value == without_axis<typename X::shape, -1>::value;
template <class X, class L>
inline constexpr bool is_classes =
    std::is_same_v<typename X::shape, typename L::shape>&& is_integer(dtype_of<typename X::dtype>);
template <class X, class L>
inline constexpr bool metric_fits = is_integer(dtype_of<typename L::dtype>) &&
                                    (is_logits<X, L> || is_classes<X, L>);

// Predicted classes, i64.
template <class X, class L>
constexpr auto predicted(const X& x, const L&) {
  if constexpr (is_logits<X, L>)
    return argmax<-1>(x);
  else
    return cast<i64>(x);
}
// Labels in a dtype that holds any number of classes.
template <class L>
constexpr auto wide_labels(const L& labels) {
  if constexpr (size_of(dtype_of<typename L::dtype>) < 4)
    return cast<i64>(labels);
  else
    return labels;
}
// Whether each label counts.
template <class L>
constexpr auto counts(const L& labels, i64 classes) {
  ir::mark_labels(to_expr(labels).value, classes, true, 0);
  const auto wide = wide_labels(labels);
  if (classes > 0) return bitwise_and(ge(wide, 0), lt(wide, classes));
  return ge(wide, 0);
}
// How many of `hits` there are, and how many labels count: i64.
template <class H, class C>
constexpr auto hits_of(const H& hits, const C& counted) {
  const auto hit = sum<>(cast<i64>(bitwise_and(hits, counted)));
  return std::pair{hit, sum<>(cast<i64>(counted))};
}
template <class X, class L>
constexpr i64 classes_of() {
  if constexpr (is_logits<X, L>)
    return X::shape::value.extent[X::rank - 1];
  else
    return 0;
}

// hits over labels, i64 both; K: among the K greatest logits.
template <int K>
struct AccuracyCounts {
  template <class X, class L>
  static constexpr auto of(ir::Builder& b, const X& x, const L& labels) {
    const auto counted = counts(labels, classes_of<X, L>());
    if constexpr (K == 1) {
      return hits_of(eq(predicted(x, labels), cast<i64>(labels)), counted);
    } else {
      // the rank of the label's logit; of equal ones the first comes first
      constexpr Dims d = X::shape::value;
      const ir::Value label = ir::reshape(wide_labels(labels).value, ir::reduced(d, 1u << (d.rank - 1)));
      const ir::Value column{&b, b.leaf(ir::Op::iota, label.dtype(), d, static_cast<u64>(d.rank - 1))};
      const Expr<bool, typename X::shape> own{ir::binary(ir::Op::eq, column, label)};
      const Expr<bool, typename X::shape> before{ir::binary(ir::Op::lt, column, label)};
      const auto score = sum<-1>(where(own, x, 0), keepdim);
      const auto above = bitwise_or(gt(x, score), bitwise_and(eq(x, score), before));
      return hits_of(lt(sum<-1>(cast<i64>(above)), K), counted);
    }
  }
};
template <class H, class N>
constexpr auto ratio(const H& hits, const N& all) {
  return div(cast<f32>(hits), cast<f32>(all));
}

template <int K>
struct AccuracyOp : Operation<AccuracyOp<K>> {
  template <ExprLike X, ExprLike L>
  static constexpr auto apply(ir::Builder& b, const X& x, const L& labels) {
    constexpr bool ok = metric_fits<X, L> && (K == 1 || is_logits<X, L>);
    static_assert(
        sizeof(MetricFits<ok, AccuracyOp, typename X::shape, typename L::shape, typename L::dtype>) > 0);
    if constexpr (ok) {
      const auto [hits, all] = AccuracyCounts<K>::of(b, x, labels);
      return ratio(hits, all);
    } else {
      return refused<f32, Shape<>>(x, labels);
    }
  }
};

template <i64 C>
struct ConfusionMatrixOp : Operation<ConfusionMatrixOp<C>> {
  template <ExprLike X, ExprLike L>
  static constexpr auto apply(ir::Builder&, const X& x, const L& labels) {
    constexpr i64 classes = C > 0 ? C : classes_of<X, L>();
    constexpr bool fits = metric_fits<X, L>, ok = fits && classes > 0;
    static_assert(sizeof(ClassesAreCounted < ok || !fits, ConfusionMatrixOp, typename X::shape >) > 0);
    static_assert(
        sizeof(MetricFits<fits, ConfusionMatrixOp, typename X::shape, typename L::shape, typename L::dtype>) >
        0);
    if constexpr (ok) {
      const auto guess = predicted(x, labels);
      const auto truth = cast<i64>(labels);
      const auto counted = bitwise_and(counts(truth, classes), counts(guess, classes));
      const auto cell = where(counted, add(mul(truth, classes), guess), -1);
      const auto bins =
          bincount<classes * classes>(reshape<X::shape::size / (is_logits<X, L> ? classes : 1)>(cell));
      return reshape<classes, classes>(cast<i64>(bins));
    } else {
      return refused<i64, Shape<(classes > 0 ? classes : 1), (classes > 0 ? classes : 1)>>(x, labels);
    }
  }
};

enum class ScoreKind { precision, recall, f1 };

// From a matrix whose rows are labels and whose columns are predictions; 0 where nothing is counted.
template <ScoreKind Kind, Average A>
struct ScoreOp : Operation<ScoreOp<Kind, A>> {
  template <class M>
  static constexpr auto apply(ir::Builder& b, const M& matrix) {
    constexpr Dims d = M::shape::value;
    constexpr bool ok = d.rank == 2 && d.extent[0] == d.extent[1];
    static_assert(sizeof(MatrixIsSquare<ok, ScoreOp, typename M::shape>) > 0);
    if constexpr (ok) {
      const auto m = cast<f32>(matrix);
      const ir::Value row{&b, b.leaf(ir::Op::iota, DType::i32, d, 0)},
          column{&b, b.leaf(ir::Op::iota, DType::i32, d, 1)};
      const Expr<bool, typename M::shape> on{ir::binary(ir::Op::eq, row, column)};
      const auto right = sum<1>(where(on, m, 0)), labelled = sum<1>(m), guessed = sum<0>(m);
      if constexpr (A == Average::micro) {
        return each(sum<>(right), sum<>(labelled), sum<>(guessed));
      } else {
        const auto score = each(right, labelled, guessed);
        if constexpr (A == Average::none) {
          return score;
        } else if constexpr (A == Average::macro) {
          const auto occurs = gt(add(labelled, guessed), 0);
          return over(sum<>(where(occurs, score, 0)), sum<>(cast<f32>(occurs)));
        } else {
          return over(sum<>(mul(score, labelled)), sum<>(labelled));
        }
      }
    } else {
      return refused<f32, Shape<>>(matrix);
    }
  }
  static constexpr auto over(const auto& part, const auto& whole) {
    const auto none = eq(whole, 0);
    return where(none, 0, div(part, where(none, 1, whole)));
  }
  static constexpr auto each(const auto& right, const auto& labelled, const auto& guessed) {
    if constexpr (Kind == ScoreKind::precision)
      return over(right, guessed);
    else if constexpr (Kind == ScoreKind::recall)
      return over(right, labelled);
    else
      return over(mul(right, 2), add(labelled, guessed));
  }
};

}  // namespace detail

// The part of the labels that is predicted.
template <class X, class L>
constexpr auto accuracy(const X& x, const L& labels) {
  return detail::AccuracyOp<1>{}(x, labels);
}
WEFT_REFUSAL(
    LogitsAreCounted,
    "topk_accuracy<k>(logits, labels): a label counts as right where it is among the k greatest logits, "
    "1 or more: topk_accuracy<5>(logits, labels)");
// The part of the labels that is among the K greatest logits.
template <int K, class X, class L>
constexpr auto topk_accuracy(const X& logits, const L& labels) {
  static_assert(sizeof(LogitsAreCounted<(K >= 1), detail::AccuracyOp<K>, X>) > 0);
  return detail::AccuracyOp<(K < 1 ? 1 : K)>{}(logits, labels);
}
// (C, C) i64: how often a label (row) was predicted to be a class (column). Predicted classes need C:
// confusion_matrix<10>(predicted, labels).
template <i64 C = 0, class X, class L>
constexpr auto confusion_matrix(const X& x, const L& labels) {
  return detail::ConfusionMatrixOp<C>{}(x, labels);
}
// Of a confusion matrix, or of logits and labels: precision_score<Average::macro>(matrix). One number, or (C)
// for Average::none.
template <Average A = Average::micro, class M>
constexpr auto precision_score(const M& matrix) {
  return detail::ScoreOp<detail::ScoreKind::precision, A>{}(matrix);
}
template <Average A = Average::micro, class X, class L>
constexpr auto precision_score(const X& logits, const L& labels) {
  return precision_score<A>(confusion_matrix(logits, labels));
}
template <Average A = Average::micro, class M>
constexpr auto recall_score(const M& matrix) {
  return detail::ScoreOp<detail::ScoreKind::recall, A>{}(matrix);
}
template <Average A = Average::micro, class X, class L>
constexpr auto recall_score(const X& logits, const L& labels) {
  return recall_score<A>(confusion_matrix(logits, labels));
}
template <Average A = Average::micro, class M>
constexpr auto f1_score(const M& matrix) {
  return detail::ScoreOp<detail::ScoreKind::f1, A>{}(matrix);
}
template <Average A = Average::micro, class X, class L>
constexpr auto f1_score(const X& logits, const L& labels) {
  return f1_score<A>(confusion_matrix(logits, labels));
}
// exp of the mean cross entropy.
template <class X, class L>
constexpr auto perplexity(const X& logits, const L& labels) {
  return exp(cross_entropy(logits, labels));
}

}  // namespace WEFT_NAMESPACE
