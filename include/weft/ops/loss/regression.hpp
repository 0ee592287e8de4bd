#pragma once
// Losses of a difference, with torch.nn.functional's formulae: l1_loss, huber_loss, smooth_l1_loss. The first
// template argument reduces, the mean over all elements where nothing is said.

#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/ops/math/special.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

struct L1F {
  constexpr auto operator()(const auto& a, const auto& b) const { return abs(sub(a, b)); }
};
// Half of a number, which may be a C++ one.
template <class S>
constexpr auto half_of(const S& s) {
  if constexpr (Scalar<S>)
    return static_cast<double>(s) / 2;
  else
    return mul(s, 0.5);
}
// Quadratic within delta of the target, linear outside.
struct HuberF {
  constexpr auto operator()(const auto& a, const auto& b, const auto& delta) const {
    const auto d = real(sub(a, b)), size = abs(d);
    const auto far = ge(size, delta);
    const auto inside = where(far, 0, d);
    return known_if(lies_in(delta, least_positive, unlimited),
                    where(far, mul(sub(size, half_of(delta)), delta), mul(mul(inside, inside), 0.5)),
                    ir::Valueless::no_scale);
  }
};
struct SmoothL1F {
  constexpr auto operator()(const auto& a, const auto& b, const auto& beta) const {
    const auto d = real(sub(a, b)), size = abs(d);
    const auto far = ge(size, beta);
    const auto inside = where(far, 0, d);
    return known_if(lies_in(beta, least_positive, unlimited),
                    where(far, sub(size, half_of(beta)), div(mul(mul(inside, inside), 0.5), beta)),
                    ir::Valueless::no_scale);
  }
};

}  // namespace detail

template <LossReduction R = reduction::mean, class A, class B>
constexpr auto l1_loss(const A& a, const B& b) {
  return detail::ElementLoss<detail::L1F, R>{}(a, b);
}
template <LossReduction R = reduction::mean, class A, class B, class D = int>
constexpr auto huber_loss(const A& a, const B& b, const D& delta = 1) {
  return detail::ElementLoss<detail::HuberF, R>{}(
      a, b, detail::checked_in(delta, detail::least_positive, detail::unlimited, detail::delta_text));
}
// beta is positive: its limit 0 is l1_loss.
template <LossReduction R = reduction::mean, class A, class B, class D = int>
constexpr auto smooth_l1_loss(const A& a, const B& b, const D& beta = 1) {
  return detail::ElementLoss<detail::SmoothL1F, R>{}(
      a, b, detail::checked_in(beta, detail::least_positive, detail::unlimited, detail::delta_text));
}

}  // namespace WEFT_NAMESPACE
