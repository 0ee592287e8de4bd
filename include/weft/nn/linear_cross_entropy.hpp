#pragma once
// A linear layer and the cross entropy of its logits as one: torch.nn.LinearCrossEntropyLoss.

#include "weft/nn/linear.hpp"
#include "weft/ops/loss/linear_cross_entropy.hpp"

namespace WEFT_NAMESPACE::nn {

// x (..., In), target (...) of classes or (..., Classes) of probabilities -> the loss, reduced as R says.
// linear.weight (Classes, In), linear.bias (Classes).
template <i64 In, i64 Classes, bool Bias = false, LossReduction R = reduction::mean, class T = f32>
struct LinearCrossEntropyLoss {
  Linear<In, Classes, Bias, T> linear{};
  i64 ignore_index = -100;     // a label that counts for nothing
  double label_smoothing = 0;  // share of the target spread over all classes, in [0, 1]

  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x, const auto& target) const {
    const CrossEntropyOptions options{.ignore_index = ignore_index, .label_smoothing = label_smoothing};
    if constexpr (Bias)
      return linear_cross_entropy<R>(x, linear.weight, target, linear.bias, options);
    else
      return linear_cross_entropy<R>(x, linear.weight, target, options);
  }
};

}  // namespace WEFT_NAMESPACE::nn
