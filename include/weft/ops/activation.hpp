#pragma once
// Activations, composed from primitives; formulae as in torch.nn.functional. Small floating types are
// computed in f32 and rounded once.

#include "weft/ops/reduce.hpp"

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
}  // namespace detail

// exp(x - max) / sum along one axis.
template <int Axis>
struct SoftmaxOp : Operation<SoftmaxOp<Axis>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    const auto f = CastOp<opmath<typename X::dtype>>::apply(b, x);
    const auto e = exp(sub(f, stop_gradient(detail::row_top<Axis>(b, f))));
    return CastOp<floating<typename X::dtype>>::apply(b, div(e, sum<Axis>(e, keepdim)));
  }
};
template <int Axis>
struct LogSoftmaxOp : Operation<LogSoftmaxOp<Axis>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
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

}  // namespace WEFT_NAMESPACE
