#pragma once
// Activations, composed from primitives; formulae as in torch.nn.functional. Small floating types are
// computed in f32 and rounded once. Where one branch of a formula overflows, its operand is made harmless
// first, so that the gradient of the other branch is not spoiled.

#include "weft/ops/math/composed.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/shape/slicing.hpp"

namespace WEFT_NAMESPACE {

struct ReluOp : Operation<ReluOp> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    // select, not max: PyTorch's gradient at 0 is 0, and NaN passes
    const ir::Value zero = ir::constant_like(x.value, 0);
    return X{ir::select(ir::binary(ir::Op::le, x.value, zero), zero, x.value)};
  }
};

// 1 / (1 + exp(-x))
struct SigmoidOp : Operation<SigmoidOp> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    return UnaryOp<ir::Op::sigmoid, true>::apply(b, x);
  }
};

// x Phi(x), Phi the normal distribution function.
struct GeluOp : Operation<GeluOp> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    const auto f = CastOp<opmath<typename X::dtype>>::apply(b, x);
    const ir::Value v = f.value;
    return CastOp<floating<typename X::dtype>>::apply(
        b, decltype(f){v * 0.5 * (ir::unary(ir::Op::erf, v * 0.7071067811865476) + 1.0)});
  }
};
// The tanh approximation: 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
struct GeluTanhOp : Operation<GeluTanhOp> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    const auto f = CastOp<opmath<typename X::dtype>>::apply(b, x);
    const ir::Value v = f.value;
    const ir::Value inner = (v + v * v * v * 0.044715) * 0.7978845608028654;
    return CastOp<floating<typename X::dtype>>::apply(
        b, decltype(f){v * 0.5 * (ir::unary(ir::Op::tanh, inner) + 1.0)});
  }
};
struct SiluOp : Operation<SiluOp> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    const auto f = CastOp<opmath<typename X::dtype>>::apply(b, x);
    return CastOp<floating<typename X::dtype>>::apply(b, mul(f, SigmoidOp::apply(b, f)));
  }
};

namespace detail {

// The greatest element of each row, kept; rows may be empty.
template <int Axis, class X>
constexpr auto row_top(ir::Builder& b, const X& x) {
  return ReduceOp<ir::Op::reduce_max, true, Axis>::of_any(b, x);
}

// An operation along one axis, Derived::normalized, which must exist.
template <class Derived, int Axis>
struct AlongRows : Operation<Derived> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    constexpr bool inside = axis_in_range(Axis, X::rank);
    static_assert(sizeof(AxisInRange<inside, Derived, typename X::shape>) > 0);
    if constexpr (inside)
      return Derived::normalized(b, x);
    else
      return x;
  }
};

}  // namespace detail

// exp(x - max) / sum along one axis.
template <int Axis>
struct SoftmaxOp : detail::AlongRows<SoftmaxOp<Axis>, Axis> {
  template <class X>
  static constexpr auto normalized(ir::Builder& b, const X& x) {
    const auto f = CastOp<opmath<typename X::dtype>>::apply(b, x);
    const auto e = exp(sub(f, stop_gradient(detail::row_top<Axis>(b, f))));
    return CastOp<floating<typename X::dtype>>::apply(b, div(e, sum<Axis>(e, keepdim)));
  }
};
template <int Axis>
struct LogSoftmaxOp : detail::AlongRows<LogSoftmaxOp<Axis>, Axis> {
  template <class X>
  static constexpr auto normalized(ir::Builder& b, const X& x) {
    const auto f = CastOp<opmath<typename X::dtype>>::apply(b, x);
    const auto shifted = sub(f, stop_gradient(detail::row_top<Axis>(b, f)));
    return CastOp<floating<typename X::dtype>>::apply(b, sub(shifted, log(sum<Axis>(exp(shifted), keepdim))));
  }
};

inline constexpr ReluOp relu{};
inline constexpr SigmoidOp sigmoid{};
inline constexpr GeluOp gelu{};
inline constexpr GeluTanhOp gelu_tanh{};
inline constexpr SiluOp silu{};
template <int Axis, class X>
constexpr auto softmax(const X& x) {
  return SoftmaxOp<Axis>{}(x);
}
template <int Axis, class X>
constexpr auto log_softmax(const X& x) {
  return LogSoftmaxOp<Axis>{}(x);
}

namespace detail {

// log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)), whose derivative is the sigmoid, at the fold, too.
template <class X>
constexpr auto softplus_of(const X& x) {
  return by_slopes(add(maximum(x, 0), log1p(exp(neg(abs(x))))), x, UnaryOp<ir::Op::sigmoid, true>{}(x));
}
// log(1 / (1 + exp(-x)))
template <class X>
constexpr auto logsigmoid_of(const X& x) {
  return by_slopes(sub(minimum(x, 0), log1p(exp(neg(abs(x))))), x, UnaryOp<ir::Op::sigmoid, true>{}(neg(x)));
}
struct SoftplusF {
  constexpr auto operator()(const auto& in, const auto& beta) const {
    const auto x = real(in);
    return div(softplus_of(mul(x, beta)), beta);
  }
};
struct LogSigmoidF {
  constexpr auto operator()(const auto& x) const { return logsigmoid_of(real(x)); }
};
// x tanh(softplus(x))
struct MishF {
  constexpr auto operator()(const auto& in) const {
    const auto x = real(in);
    return mul(x, tanh(softplus_of(x)));
  }
};
// scale (x > 0 ? x : alpha (exp(x / slope) - 1))
struct EluF {
  constexpr auto operator()(const auto& in, const auto& alpha) const {
    const auto x = real(in);
    const auto positive = gt(x, 0);
    return where(positive, x, mul(expm1(where(positive, 0, x)), alpha));
  }
};
struct SeluF {
  constexpr auto operator()(const auto& x) const {
    return mul(EluF{}(x, 1.6732632423543772), 1.0507009873554805);
  }
};
struct CeluF {
  constexpr auto operator()(const auto& in, const auto& alpha) const {
    const auto x = real(in);
    const auto positive = gt(x, 0);
    return where(positive, x, mul(expm1(div(where(positive, 0, x), alpha)), alpha));
  }
};
struct LeakyReluF {
  constexpr auto operator()(const auto& x, const auto& slope) const {
    return where(gt(x, 0), x, mul(x, slope));
  }
};
// clamp(x / 6 + 1/2, 0, 1)
struct HardsigmoidF {
  constexpr auto operator()(const auto& in) const {
    const auto x = real(in);
    return where(le(x, -3), 0, where(ge(x, 3), 1, div(add(x, 3), 6)));
  }
};
// x clamp(x + 3, 0, 6) / 6
struct HardswishF {
  constexpr auto operator()(const auto& in) const {
    const auto x = real(in);
    const auto low = le(x, -3), high = ge(x, 3);
    const auto r = mul(x, div(where(low, 0, where(high, 6, add(x, 3))), 6));
    return by_slopes(r, x, where(low, 0, where(high, 1, add(div(x, 3), 0.5))));
  }
};
struct SoftsignF {
  constexpr auto operator()(const auto& x) const { return div(x, add(abs(x), 1)); }
};

}  // namespace detail

WEFT_REFUSAL(ExtentIsEven, "glu: the axis must exist and have an even extent");

// One half along the axis times the gate of the other: sigmoid of the second half for GLU, gates of the first
// (`GateFirst`) in Shazeer's variants (2020).
template <int Axis, class Gate, bool GateFirst = false>
struct GatedUnitOp : Operation<GatedUnitOp<Axis, Gate, GateFirst>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    constexpr i64 extent = axis_in_range(Axis, X::rank) ? X::shape::value[Axis] : 1;
    static_assert(sizeof(ExtentIsEven<extent % 2 == 0, GatedUnitOp, typename X::shape>) > 0);
    const auto first = SliceAxisOp<Axis, 0, extent / 2, 1>::apply(b, x);
    const auto second = SliceAxisOp<Axis, extent / 2, extent, 1>::apply(b, x);
    if constexpr (GateFirst)
      return mul(Gate::apply(b, first), second);
    else
      return mul(first, Gate::apply(b, second));
  }
};

// What: x's shape and the weight's.
WEFT_REFUSAL(PreluWeightFits,
             "prelu: the weight is one number, or a vector with one for each place of x's axis 1");
struct PreluOp : Operation<PreluOp> {
  template <class X, class W>
  static constexpr auto apply(ir::Builder&, const X& x, const W& weight) {
    using Leaky = detail::InSingle<detail::LeakyReluF>;
    using SX = shape_of_operand<X>;
    using SW = shape_of_operand<W>;
    if constexpr (SW::rank == 1 && SW::size != 1) {
      constexpr bool ok = SX::rank >= 2 && SX::value.extent[SX::rank >= 2 ? 1 : 0] == SW::size;
      static_assert(sizeof(PreluWeightFits<ok, PreluOp, SX, SW>) > 0);
      if constexpr (ok)
        return Leaky{}(x, channels<SX::rank - 2>(weight));
      else
        return x;
    } else {
      return Leaky{}(x, weight);
    }
  }

 private:
  // (C) as (C, 1, ...) with so many axes behind.
  template <int After, class W>
  static constexpr auto channels(const W& weight) {
    if constexpr (After == 0)
      return weight;
    else
      return channels<After - 1>(UnsqueezeOp<-1>{}(weight));
  }
};

// softplus(x, beta) = log(1 + exp(beta x)) / beta. (PyTorch answers x itself where beta x > 20, its
// threshold: the same number in f32.)
template <class X, class B = int>
constexpr auto softplus(const X& x, const B& beta = 1) {
  return detail::Composed<detail::InSingle<detail::SoftplusF>>{}(x, beta);
}
template <class X>
constexpr auto logsigmoid(const X& x) {
  return detail::Composed<detail::InSingle<detail::LogSigmoidF>>{}(x);
}
template <class X>
constexpr auto mish(const X& x) {
  return detail::Composed<detail::InSingle<detail::MishF>>{}(x);
}
template <class X, class A = int>
constexpr auto elu(const X& x, const A& alpha = 1) {
  return detail::Composed<detail::InSingle<detail::EluF>>{}(x, alpha);
}
template <class X>
constexpr auto selu(const X& x) {
  return detail::Composed<detail::InSingle<detail::SeluF>>{}(x);
}
template <class X, class A = int>
constexpr auto celu(const X& x, const A& alpha = 1) {
  return detail::Composed<detail::InSingle<detail::CeluF>>{}(x, alpha);
}
template <class X, class S = double>
constexpr auto leaky_relu(const X& x, const S& slope = 0.01) {
  return detail::Composed<detail::InSingle<detail::LeakyReluF>>{}(x, slope);
}
// prelu(x, weight): leaky with a learned slope: one, or a vector along axis 1; of more axes it broadcasts.
template <class X, class W>
constexpr auto prelu(const X& x, const W& weight) {
  return PreluOp{}(x, weight);
}
template <class X>
constexpr auto relu6(const X& x) {
  return detail::Composed<detail::ClampF>{}(x, 0, 6);
}
template <class X>
constexpr auto hardsigmoid(const X& x) {
  return detail::Composed<detail::InSingle<detail::HardsigmoidF>>{}(x);
}
template <class X>
constexpr auto hardswish(const X& x) {
  return detail::Composed<detail::InSingle<detail::HardswishF>>{}(x);
}
template <class X, class A = int, class B = int>
constexpr auto hardtanh(const X& x, const A& low = -1, const B& high = 1) {
  return detail::Composed<detail::ClampF>{}(x, low, high);
}
template <class X>
constexpr auto softsign(const X& x) {
  return detail::Composed<detail::InSingle<detail::SoftsignF>>{}(x);
}
template <int Axis = -1, class X>
constexpr auto glu(const X& x) {
  return GatedUnitOp<Axis, SigmoidOp>{}(x);
}

}  // namespace WEFT_NAMESPACE
