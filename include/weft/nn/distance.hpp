#pragma once
// nn::CosineSimilarity<1>{.eps = 1e-6f}, nn::PairwiseDistance<2>: see weft/ops/nn/similarity.hpp.

#include "weft/nn/spelling.hpp"
#include "weft/ops/nn/similarity.hpp"

namespace WEFT_NAMESPACE::nn {

// Of two tensors, along an axis, which goes.
template <int Axis = 1>
struct CosineSimilarity {
  float eps = 1e-8f;  // least norm that counts
  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x, const auto& y) const {
    return cosine_similarity<Axis>(x, y, static_cast<double>(eps));
  }
  WEFT_REFUSED_ONE(CosineSimilarity)
};
// Of order P, along the last axis, which goes.
template <int P = 2>
struct PairwiseDistance {
  float eps = 1e-6f;  // added to the difference
  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x, const auto& y) const {
    return pairwise_distance<P>(x, y, static_cast<double>(eps));
  }
  WEFT_REFUSED_ONE(PairwiseDistance)
};

}  // namespace WEFT_NAMESPACE::nn
