#pragma once
// Activations that shrink, cut or gate, with torch.nn.functional's formulae and its gradients at the bounds.

#include "weft/ops/core/number_range.hpp"
#include "weft/ops/nn/activation.hpp"

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
    using T = typename std::remove_cvref_t<decltype(x)>::dtype;
    if constexpr (is_float(dtype_of<T>))  // beside the number as it is given, not rounded to T
      return where(le(cast<opmath<T>>(x), least), value, x);
    else
      return where(le(x, least), value, x);
  }
};

template <int Axis>
struct SoftminF {
  constexpr auto operator()(const auto& x) const { return softmax<Axis>(neg(real(x))); }
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
  detail::check_beside(value, x);
  return detail::Composed<detail::ThresholdF>{}(x, least, value);
}
// leaky_relu with the mean of the slopes, which is what evaluation does; nn::RReLU draws them while training.
template <class X>
constexpr auto rrelu(const X& x, double lower = 1.0 / 8, double upper = 1.0 / 3) {
  detail::checked_in(upper, lower, detail::unlimited, detail::scale_text);
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

}  // namespace WEFT_NAMESPACE
