#pragma once
// Activations that shrink, cut or gate, with torch.nn.functional's formulae and its gradients at the bounds,
// and the comparisons of vectors beside them: cosine similarity, distance, normalisation to length 1.

#include "weft/ops/activation_more.hpp"
#include "weft/ops/reduce_more.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

struct SoftshrinkF {
  constexpr auto operator()(const auto& x, const auto& l) const {
    const auto raised = add(x, l);
    return where(gt(x, l), sub(x, l), where(lt(raised, 0), raised, mul(x, 0)));
  }
};
struct HardshrinkF {
  constexpr auto operator()(const auto& in, const auto& l) const {
    const auto x = real(in);
    return where(le(abs(x), l), 0, x);
  }
};
struct TanhshrinkF {
  constexpr auto operator()(const auto& x) const { return sub(x, tanh(x)); }
};
struct ThresholdF {
  constexpr auto operator()(const auto& x, const auto& least, const auto& value) const {
    return where(le(x, least), value, x);
  }
};

template <int Axis>
struct SoftminF {
  constexpr auto operator()(const auto& x) const { return softmax<Axis>(neg(real(x))); }
};
template <int Axis>
struct CosineSimilarityF {
  constexpr auto operator()(const auto& a, const auto& b, const auto& eps) const {
    const auto x = real(a), y = real(b);
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

// x pulled towards 0 by l, 0 where it is nearer.
template <class X, class L = double>
constexpr auto softshrink(const X& x, const L& l = 0.5) {
  return detail::Composed<detail::SoftshrinkF>{}(x, l);
}
// 0 in [-l, l], x elsewhere.
template <class X, class L = double>
constexpr auto hardshrink(const X& x, const L& l = 0.5) {
  return detail::Composed<detail::HardshrinkF>{}(x, l);
}
// x - tanh(x)
template <class X>
constexpr auto tanhshrink(const X& x) {
  return detail::Composed<detail::InSingle<detail::TanhshrinkF>>{}(x);
}
// x where x > least, value elsewhere.
template <class X, class A, class B>
constexpr auto threshold(const X& x, const A& least, const B& value) {
  return detail::Composed<detail::ThresholdF>{}(x, least, value);
}
// leaky_relu with the mean of the slopes, which is what evaluation does; nn::RReLU draws them while training.
template <class X>
constexpr auto rrelu(const X& x, double lower = 1.0 / 8, double upper = 1.0 / 3) {
  return leaky_relu(x, (lower + upper) / 2);
}
template <int Axis, class X>
constexpr auto softmin(const X& x) {
  return detail::Composed<detail::SoftminF<Axis>>{}(x);
}
template <int Axis = -1, class X>
constexpr auto swiglu(const X& x) {
  return GatedUnitOp<Axis, SiluOp, true>{}(x);
}
template <int Axis = -1, class X>
constexpr auto geglu(const X& x) {
  return GatedUnitOp<Axis, GeluOp, true>{}(x);
}
template <int Axis = -1, class X>
constexpr auto reglu(const X& x) {
  return GatedUnitOp<Axis, ReluOp, true>{}(x);
}

// x . y / (max(|x|, eps) max(|y|, eps)) along one axis.
template <int Axis = 1, class X, class Y>
constexpr auto cosine_similarity(const X& x, const Y& y, double eps = 1e-8) {
  return detail::Composed<detail::InSingle<detail::CosineSimilarityF<Axis>>>{}(x, y, eps);
}
// |x - y + eps| along the last axis, of order P.
template <int P = 2, class X, class Y>
constexpr auto pairwise_distance(const X& x, const Y& y, double eps = 1e-6) {
  return detail::Composed<detail::InSingle<detail::PairwiseDistanceF<P>>>{}(x, y, eps);
}
// x / max(|x|, eps) along one axis, of order P.
template <int Axis = 1, int P = 2, class X>
constexpr auto normalize(const X& x, double eps = 1e-12) {
  return detail::Composed<detail::InSingle<detail::NormalizeF<Axis, P>>>{}(x, eps);
}

}  // namespace WEFT_NAMESPACE
