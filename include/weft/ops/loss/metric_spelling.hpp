#pragma once
// Metrics as they cannot be called: without labels, with what is a template argument behind them.

#include "weft/ops/loss/metric.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(
    MetricTakesBoth,
    "a metric takes the predictions and the labels: accuracy(logits, labels), topk_accuracy<5>(logits, "
    "labels), perplexity(logits, labels)");
WEFT_REFUSAL(
    AverageIsArgument,
    "the way to average is a template argument, a value of Average: write f1_score<Average::macro>(logits, "
    "labels), precision_score<Average::weighted>(logits, labels), recall_score<Average::none>(matrix)");
// Refusals.
template <class X>
constexpr auto accuracy(const X& x) {
  static_assert(sizeof(MetricTakesBoth<sizeof(X) == 0, detail::AccuracyOp<1>, X>) > 0);
  return detail::first_expr(x);
}
template <class X>
constexpr auto perplexity(const X& x) {
  static_assert(sizeof(MetricTakesBoth<sizeof(X) == 0, X>) > 0);
  return detail::first_expr(x);
}
template <int K, class X>
constexpr auto topk_accuracy(const X& x) {
  static_assert(sizeof(MetricTakesBoth<sizeof(X) == 0, detail::AccuracyOp<K>, X>) > 0);
  return detail::first_expr(x);
}
template <class X, class... A>
constexpr auto topk_accuracy(const X& x, const A&...) {
  static_assert(sizeof(LogitsAreCounted<(sizeof...(A) > 99), X, A...>) > 0);
  return detail::first_expr(x);
}
#define WEFT_SCORE(name)                                                              \
  template <FixedString Word, class X, class... L>                                    \
  constexpr auto name(const X& x, const L&...) {                                      \
    static_assert(sizeof(AverageIsArgument<(sizeof...(L) > 99), X, L...>) > 0);       \
    return detail::first_expr(x);                                                     \
  }                                                                                   \
  template <class X, class L, class... A>                                             \
  requires(sizeof...(A) > 0) constexpr auto name(const X& x, const L&, const A&...) { \
    static_assert(sizeof(AverageIsArgument<(sizeof...(A) > 99), X, L, A...>) > 0);    \
    return detail::first_expr(x);                                                     \
  }
WEFT_SCORE(precision_score)
WEFT_SCORE(recall_score)
WEFT_SCORE(f1_score)
#undef WEFT_SCORE

}  // namespace WEFT_NAMESPACE
