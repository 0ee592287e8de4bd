#pragma once
// Metrics added up on the device: members of a model of their own, whose buffers hold the counts. Law: a call
// adds a batch and gives the metric of all batches so far; value() gives it without adding, reset() starts
// again. Nothing is read by the host until it asks for a result.

#include "weft/nn/param.hpp"
#include "weft/ops/loss/metric.hpp"

namespace WEFT_NAMESPACE::nn {

namespace module_detail {

constexpr void clear(const auto& buffer) {
  const auto old = buffer.expr();
  buffer.assign(std::remove_cvref_t<decltype(old)>{ir::constant_like(old.value, 0)});
}

constexpr auto exp_of_mean(const auto& total, const auto& count) {
  return cast<f32>(exp(div(total, cast<f64>(count))));
}

}  // namespace module_detail

// The part of all labels that was predicted; TopKAccuracy<K>: that was among the K greatest logits.
template <int K>
struct TopKAccuracy {
  Buffer<i64, Shape<>> hits{};
  Buffer<i64, Shape<>> seen{};

  constexpr auto operator()(const auto& x, const auto& labels) const {
    const auto e = to_expr(x);
    const auto l = to_expr(labels);
    using X = std::remove_cvref_t<decltype(e)>;
    using L = std::remove_cvref_t<decltype(l)>;
    constexpr bool ok = weft::detail::metric_fits<X, L> && (K == 1 || weft::detail::is_logits<X, L>);
    static_assert(
        sizeof(MetricFits<ok, TopKAccuracy, typename X::shape, typename L::shape, typename L::dtype>) > 0);
    if constexpr (ok) {
      const auto [hit, all] = weft::detail::AccuracyCounts<K>::of(*e.value.builder, e, l);
      const auto total = add(hits.latest(), hit);
      const auto count = add(seen.latest(), all);
      hits.assign(total);
      seen.assign(count);
      return weft::detail::ratio(total, count);
    } else {
      return weft::detail::refused<f32, Shape<>>(e, l);
    }
  }
  constexpr auto value() const { return weft::detail::ratio(hits.expr(), seen.expr()); }
  constexpr void reset() const {
    module_detail::clear(hits);
    module_detail::clear(seen);
  }
};
using Accuracy = nn::TopKAccuracy<1>;

// confusion_matrix of all batches; precision_score, recall_score and f1_score take it.
template <i64 C>
struct ConfusionMatrix {
  Buffer<i64, Shape<C, C>> counts{};

  constexpr auto operator()(const auto& x, const auto& labels) const {
    const auto all = add(counts.latest(), confusion_matrix<C>(to_expr(x), to_expr(labels)));
    counts.assign(all);
    return all;
  }
  constexpr auto value() const { return counts.expr(); }
  constexpr void reset() const { module_detail::clear(counts); }
};

// The mean of numbers, each counted `weight` times: of losses over batches of unequal size.
struct Mean {
  Buffer<f64, Shape<>> total{};   // weighted sum so far
  Buffer<f64, Shape<>> weight{};  // sum of weights so far

  constexpr auto operator()(const auto& x, const auto& count) const {
    const auto times = cast<f64>(to_expr(count));
    const auto sum_so_far = add(total.latest(), mul(cast<f64>(to_expr(x)), times));
    const auto weight_so_far = add(weight.latest(), times);
    total.assign(sum_so_far);
    weight.assign(weight_so_far);
    return cast<f32>(div(sum_so_far, weight_so_far));
  }
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    return (*this)(e, Expr<f64, Shape<>>{ir::constant(*e.value.builder, DType::f64, Dims{}, 1)});
  }
  constexpr auto value() const { return cast<f32>(div(total.expr(), weight.expr())); }
  constexpr void reset() const {
    module_detail::clear(total);
    module_detail::clear(weight);
  }
};

// exp of the mean cross entropy over all labels that count.
struct Perplexity {
  Buffer<f64, Shape<>> total{};
  Buffer<i64, Shape<>> seen{};

  constexpr auto operator()(const auto& logits, const auto& labels) const {
    const auto x = to_expr(logits);
    const auto l = to_expr(labels);
    const auto loss = cast<f64>(cross_entropy<reduction::sum>(x, l));
    using X = std::remove_cvref_t<decltype(x)>;
    const auto counted = weft::detail::counts(l, X::shape::value.extent[X::rank - 1]);
    const auto sum_so_far = add(total.latest(), loss);
    const auto count = add(seen.latest(), sum<>(cast<i64>(counted)));
    total.assign(sum_so_far);
    seen.assign(count);
    return module_detail::exp_of_mean(sum_so_far, count);
  }
  constexpr auto value() const { return module_detail::exp_of_mean(total.expr(), seen.expr()); }
  constexpr void reset() const {
    module_detail::clear(total);
    module_detail::clear(seen);
  }
};

}  // namespace WEFT_NAMESPACE::nn
