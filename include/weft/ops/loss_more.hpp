#pragma once
// More losses of torch.nn.functional, each the mean over all elements unless it says otherwise.

#include "weft/ops/activation_more.hpp"
#include "weft/ops/loss.hpp"

namespace weft {

namespace detail {

// Mean of F(a, b) for a and b of one shape.
template <class F>
struct MeanLoss : Operation<MeanLoss<F>> {
  template <class A, class B, class... More>
  static constexpr auto apply(ir::Builder&, const A& a, const B& b, const More&... more) {
    using SA = shape_of_operand<A>;
    using SB = shape_of_operand<B>;
    static_assert(sizeof(ShapesEqual<std::is_same_v<SA, SB>, F, SA, SB>) > 0);
    return mean<>(F{}(a, b, more...));
  }
};

struct L1F {
  constexpr auto operator()(const auto& a, const auto& b) const { return abs(sub(a, b)); }
};
// Quadratic within delta of the target, linear outside.
struct HuberF {
  constexpr auto operator()(const auto& a, const auto& b, const auto& delta) const {
    const auto d = real(sub(a, b)), size = abs(d);
    return where(le(size, delta), mul(mul(d, d), 0.5),
                 mul(sub(size, div(mul(add(mul(size, 0), 1), delta), 2)), delta));
  }
};
struct SmoothL1F {
  constexpr auto operator()(const auto& a, const auto& b, const auto& beta) const {
    const auto d = real(sub(a, b)), size = abs(d);
    return where(lt(size, beta), div(mul(mul(d, d), 0.5), beta),
                 sub(size, div(mul(add(mul(size, 0), 1), beta), 2)));
  }
};
// -(t log p + (1 - t) log(1 - p)), logarithms not below -100.
struct BceF {
  constexpr auto operator()(const auto& p, const auto& t) const {
    const auto at_least = [](const auto& x) { return where(lt(x, -100), -100, x); };
    return neg(add(mul(t, at_least(log(p))), mul(sub(1, t), at_least(log(sub(1, p))))));
  }
};

}  // namespace detail

// log probabilities (..., C) with labels (...): the mean of -log_p[label] over labels in [0, C).
struct NllLoss : Operation<NllLoss> {
  template <class X, class L>
  static constexpr auto apply(ir::Builder& b, const X& log_p, const L& labels) {
    constexpr Dims d = X::shape::value, l = L::shape::value;
    constexpr bool ok = d.rank >= 1 && l == ir::dropped(d, d.rank > 0 ? 1u << (d.rank - 1) : 0u);
    static_assert(sizeof(LabelsMatch<ok, NllLoss, typename X::shape, typename L::shape>) > 0);
    static_assert(
        sizeof(LabelsAreIntegers<is_integer(dtype_of<typename L::dtype>), NllLoss, typename L::dtype>) > 0);
    using T = typename X::dtype;
    if constexpr (ok) {
      const ir::Axes classes = 1u << (d.rank - 1);
      const ir::Value label = ir::reshape(labels.value, ir::reduced(d, classes));
      const ir::Value column{&b, b.leaf(ir::Op::iota, label.dtype(), d, static_cast<u64>(d.rank - 1))};
      const ir::Value hit = ir::binary(ir::Op::eq, column, label), zero = ir::constant_like(log_p.value, 0);
      const ir::Value picked =
          ir::reduce(ir::Op::reduce_sum, ir::select(hit, log_p.value, zero), ir::all_axes(d.rank));
      const ir::Value count = ir::reduce(
          ir::Op::reduce_sum, ir::select(hit, ir::constant_like(log_p.value, 1), zero), ir::all_axes(d.rank));
      return Expr<T, Shape<>>{ir::reshape(-(picked / count), Dims{})};
    } else {
      return Expr<T, Shape<>>{};
    }
  }
};

template <class A, class B>
constexpr auto l1_loss(const A& a, const B& b) {
  return detail::MeanLoss<detail::L1F>{}(a, b);
}
template <class A, class B, class D = int>
constexpr auto huber_loss(const A& a, const B& b, const D& delta = 1) {
  return detail::MeanLoss<detail::HuberF>{}(a, b, delta);
}
template <class A, class B, class D = int>
constexpr auto smooth_l1_loss(const A& a, const B& b, const D& beta = 1) {
  return detail::MeanLoss<detail::SmoothL1F>{}(a, b, beta);
}
// Binary cross entropy of probabilities.
template <class A, class B>
constexpr auto bce(const A& p, const B& target) {
  return detail::MeanLoss<detail::BceF>{}(p, target);
}
template <class X, class L>
constexpr auto nll_loss(const X& log_p, const L& labels) {
  return NllLoss{}(log_p, labels);
}

}  // namespace weft
