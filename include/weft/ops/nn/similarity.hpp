#pragma once
// Vectors along an axis compared, and brought to length 1: cosine_similarity, pairwise_distance, normalize,
// with torch.nn.functional's formulae.

#include "weft/ops/reduce/composed.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

template <int Axis>
struct CosineSimilarityF {
  constexpr auto operator()(const auto& a, const auto& b, const auto& eps) const {
    const auto x = real(a);
    const auto y = real(b);
    const auto floor_of = [&](const auto& length) { return where(lt(length, eps), eps, length); };
    return div(sum<Axis>(mul(x, y)), mul(floor_of(norm<Axis>(x)), floor_of(norm<Axis>(y))));
  }
};
template <int P>
struct PairwiseDistanceF {
  constexpr auto operator()(const auto& x, const auto& y, const auto& eps) const {
    return norm<-1>(add(sub(real(x), real(y)), eps), order<P>);
  }
};
template <int Axis, int P>
struct NormalizeF {
  constexpr auto operator()(const auto& in, const auto& eps) const {
    const auto x = real(in);
    const auto length = norm<Axis>(x, order<P>, keepdim);
    return div(x, where(lt(length, eps), eps, length));
  }
};

}  // namespace detail

// x . y / (max(|x|, eps) max(|y|, eps)) along one axis.
template <int Axis = 1, class X, class Y>
constexpr auto cosine_similarity(const X& x, const Y& y, Epsilon eps = 1e-8) {
  return detail::Composed<detail::InSingle<detail::CosineSimilarityF<Axis>>>{}(x, y, eps.value);
}
// |x - y + eps| along the last axis, of order P.
template <int P = 2, class X, class Y>
constexpr auto pairwise_distance(const X& x, const Y& y, Epsilon eps = 1e-6) {
  return detail::Composed<detail::InSingle<detail::PairwiseDistanceF<P>>>{}(x, y, eps.value);
}
// x / max(|x|, eps) along one axis, of order P.
template <int Axis = 1, int P = 2, class X>
constexpr auto normalize(const X& x, Epsilon eps = 1e-12) {
  return detail::Composed<detail::InSingle<detail::NormalizeF<Axis, P>>>{}(x, eps.value);
}

}  // namespace WEFT_NAMESPACE
