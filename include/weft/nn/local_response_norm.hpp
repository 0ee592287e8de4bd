#pragma once
// nn::LocalResponseNorm<5>{.k = 2}: see weft/ops/nn/local_response_norm.hpp.

#include "weft/nn/spelling.hpp"
#include "weft/ops/nn/local_response_norm.hpp"

namespace WEFT_NAMESPACE::nn {

// x (N, C, ...) -> the same, across Size neighbouring channels.
template <i64 Size>
struct LocalResponseNorm {
  float alpha = 1e-4f;  // factor of the mean of squares
  float beta = 0.75f;   // exponent
  float k = 1;          // added to the mean of squares
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    return local_response_norm<Size>(to_expr(x), alpha, beta, k);
  }
};

}  // namespace WEFT_NAMESPACE::nn
