#pragma once
// AdaptiveLogSoftmaxWithLoss (Grave et al., 2017): a softmax over many classes of uneven frequency, frequent
// ones first, with PyTorch's parameters ("head.weight", "tail.0.0.weight"). The head holds the most frequent
// classes and one number for each cluster of the others; a cluster's logits are made from fewer features.
// Law: it is the softmax in which a class of a cluster has the cluster's probability times its own within the
// cluster.

#include "weft/nn/container.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/ops/shape/concat.hpp"

namespace WEFT_NAMESPACE::nn {

// cutoffs: where clusters begin, at most 16, ascending; 0 stands for none. The features of cluster k are
// In / div_value^(k + 1), rounded down.
struct AdaptiveSoftmax {
  i64 cutoffs[16]{};       // first classes of the clusters, rising; the rest 0
  double div_value = 4;    // each cluster's features are as many times fewer
  bool head_bias = false;  // a bias of the head
};

WEFT_REFUSAL(CutoffsFit,
             "AdaptiveLogSoftmaxWithLoss: cutoffs are unique, ascending and between 1 and n_classes - 1, at "
             "least one, and div_value leaves every cluster at least one feature");
// What: the shape of the input, that of the target and its dtype, or the number of features.
WEFT_REFUSAL(AdaptiveOperandsFit,
             "AdaptiveLogSoftmaxWithLoss: the input is (..., in_features), the target (...) of integers (i32 "
             "or i64)");

// output (...): the log probability of each target; loss: the mean of its negative.
template <class O, class L>
struct AdaptiveOutput {
  O output;
  L loss;
};
template <class O, class L>
AdaptiveOutput(O, L) -> AdaptiveOutput<O, L>;

namespace module_detail {

template <i64 In, i64 Classes, AdaptiveSoftmax O>
struct adaptive_rule {
  static constexpr int count() {
    int n = 0;
    while (n < 16 && O.cutoffs[n] != 0) ++n;
    return n;
  }
  static constexpr i64 divided(int cluster) {
    double features = static_cast<double>(In);
    for (int k = 0; k <= cluster; ++k) features /= O.div_value;
    return static_cast<i64>(features);
  }
  static constexpr bool check() {
    i64 before = 0;
    for (int k = 0; k < count(); ++k) {
      if (O.cutoffs[k] <= before || O.cutoffs[k] >= Classes || !(O.div_value > 0) || divided(k) < 1)
        return false;
      before = O.cutoffs[k];
    }
    return count() > 0;
  }
  static constexpr bool ok = check();
  static constexpr int clusters = ok ? count() : 1;
  static constexpr i64 shortlist = ok ? O.cutoffs[0] : 1;
  static constexpr i64 begin(int k) { return ok ? O.cutoffs[k] : 1; }
  static constexpr i64 end(int k) { return k + 1 < clusters ? O.cutoffs[k + 1] : Classes; }
  static constexpr i64 features(int k) { return ok ? divided(k) : 1; }
};

template <class Rule, i64 In, class T, class Cluster>
struct adaptive_tail;
template <class Rule, i64 In, class T, int... K>
struct adaptive_tail<Rule, In, T, std::integer_sequence<int, K...>> {
  using type = Sequential<Sequential<Linear<In, Rule::features(K), false, T>,
                                     Linear<Rule::features(K), Rule::end(K) - Rule::begin(K), false, T>>...>;
};

}  // namespace module_detail

// AdaptiveLogSoftmaxWithLoss<64, 10000, AdaptiveSoftmax{.cutoffs = {100, 1000}}>. layer(x, target) gives an
// AdaptiveOutput; x (..., In), target (...) of classes in [0, Classes): others count neither in the output,
// which is 0 there, nor in the loss (PyTorch: an error). Shapes are static, so every cluster is computed for
// every row.
template <i64 In, i64 Classes, AdaptiveSoftmax O, class T = f32>
struct AdaptiveLogSoftmaxWithLoss {
  using Rule = module_detail::adaptive_rule<In, Classes, O>;
  static_assert(sizeof(CutoffsFit<Rule::ok, GivenSize<In>, GivenSize<Classes>>) > 0);
  static constexpr int clusters = Rule::clusters;
  using Clusters = std::make_integer_sequence<int, clusters>;

  Linear<In, Rule::shortlist + clusters, O.head_bias, T> head{};
  typename module_detail::adaptive_tail<Rule, In, T, Clusters>::type tail{};

  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x, const auto& target) const {
    const auto e = to_expr(x);
    const auto y = to_expr(target);
    using X = std::remove_cvref_t<decltype(e)>;
    using Y = std::remove_cvref_t<decltype(y)>;
    constexpr bool ok = fits<X> && Y::shape::value == rows<X> &&
                        (std::is_same_v<typename Y::dtype, i32> || std::is_same_v<typename Y::dtype, i64>);
    static_assert(
        sizeof(
            AdaptiveOperandsFit<ok, GivenSize<In>, typename X::shape, typename Y::shape, typename Y::dtype>) >
        0);
    if constexpr (ok) {
      const auto inside = bitwise_and(ge(y, 0), lt(y, Classes));
      const auto cost = costs(e, y, where(inside, head_label(y), -1), Clusters{});
      return AdaptiveOutput{neg(cost), div(sum<>(cost), sum<>(cast<typename X::dtype>(inside)))};
    } else {
      return AdaptiveOutput{sum<>(e), sum<>(e)};
    }
  }
  // (..., In) -> the log probabilities of all classes (..., Classes)
  constexpr auto log_prob(const auto& x) const {
    const auto e = checked(x);
    return all_log_probs(e, log_softmax<-1>(head(e)), Clusters{});
  }
  // (..., In) -> the most likely class (...), i64
  constexpr auto predict(const auto& x) const {
    const auto e = checked(x);
    const auto first = head(e);
    const auto best = argmax<-1>(first);
    const auto among_all = argmax<-1>(all_log_probs(e, log_softmax<-1>(first), Clusters{}));
    return where(lt(best, Rule::shortlist), best, among_all);
  }

 private:
  template <class X>
  static constexpr bool fits = X::rank >= 1 && X::shape::value[X::rank > 0 ? -1 : 0] == In;
  template <class X>
  static constexpr Dims rows = X::rank > 0 ? ir::dropped(X::shape::value, 1u << (X::rank - 1)) : Dims{};

  static constexpr auto checked(const auto& x) {
    const auto e = to_expr(x);
    using X = std::remove_cvref_t<decltype(e)>;
    static_assert(sizeof(AdaptiveOperandsFit<fits<X>, GivenSize<In>, typename X::shape>) > 0);
    return e;
  }
  // The place of a class in the head: its own, or that of cluster K or of one behind it.
  template <int K = clusters - 1>
  static constexpr auto head_label(const auto& y) {
    if constexpr (K < 0)
      return y;
    else
      return where(ge(y, Rule::begin(K)), Rule::shortlist + K, head_label<K - 1>(y));
  }
  // -log p of the targets: a cross entropy ignores labels that are none of its classes.
  template <int... K>
  constexpr auto costs(const auto& x, const auto& y, const auto& in_head,
                       std::integer_sequence<int, K...>) const {
    auto cost = cross_entropy<reduction::none>(head(x), in_head);
    ((cost = add(cost, cross_entropy<reduction::none>(std::get<K>(tail.layers)(x), sub(y, Rule::begin(K))))),
     ...);
    return cost;
  }
  template <int... K>
  constexpr auto all_log_probs(const auto& x, const auto& in_head, std::integer_sequence<int, K...>) const {
    return cat<-1>(
        narrow<-1, 0, Rule::shortlist>(in_head),
        add(log_softmax<-1>(std::get<K>(tail.layers)(x)), narrow<-1, Rule::shortlist + K, 1>(in_head))...);
  }
};

}  // namespace WEFT_NAMESPACE::nn
