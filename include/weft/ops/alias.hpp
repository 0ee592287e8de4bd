#pragma once
// PyTorch's second names of operations: absolute is abs, concat is cat. Each is the operation itself.
// (torch.clip is clamp alone: weft::clip names the clipping policies of training.)

#include "weft/ops/index/padded_results.hpp"
#include "weft/ops/linalg/diagonal.hpp"
#include "weft/ops/linalg/multi_dot.hpp"
#include "weft/ops/linalg/products.hpp"
#include "weft/ops/loss/likelihood.hpp"
#include "weft/ops/loss/regression.hpp"
#include "weft/ops/math/special.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/reduce/trapezoid.hpp"

namespace WEFT_NAMESPACE {

template <class X>
constexpr auto absolute(const X& x) {
  return abs(x);
}
template <class X>
constexpr auto arccos(const X& x) {
  return acos(x);
}
template <class X>
constexpr auto arccosh(const X& x) {
  return acosh(x);
}
template <class X>
constexpr auto arcsin(const X& x) {
  return asin(x);
}
template <class X>
constexpr auto arcsinh(const X& x) {
  return asinh(x);
}
template <class X>
constexpr auto arctan(const X& x) {
  return atan(x);
}
template <class X>
constexpr auto arctanh(const X& x) {
  return atanh(x);
}
template <class X>
constexpr auto fix(const X& x) {
  return trunc(x);
}
template <class X>
constexpr auto negative(const X& x) {
  return neg(x);
}
template <class X>
constexpr auto sgn(const X& x) {
  return sign(x);
}
template <class X>
constexpr auto detach(const X& x) {
  return stop_gradient(x);
}
template <class X>
constexpr auto expit(const X& x) {
  return sigmoid(x);
}
template <class X>
constexpr auto gammaln(const X& x) {
  return lgamma(x);
}
template <class X>
constexpr auto psi(const X& x) {
  return digamma(x);
}
template <class A, class B>
constexpr auto arctan2(const A& a, const B& b) {
  return atan2(a, b);
}
template <class A, class B>
constexpr auto divide(const A& a, const B& b) {
  return div(a, b);
}
template <class A, class B>
constexpr auto true_divide(const A& a, const B& b) {
  return div(a, b);
}
template <class A, class B>
constexpr auto greater(const A& a, const B& b) {
  return gt(a, b);
}
template <class A, class B>
constexpr auto greater_equal(const A& a, const B& b) {
  return ge(a, b);
}
template <class A, class B>
constexpr auto less(const A& a, const B& b) {
  return lt(a, b);
}
template <class A, class B>
constexpr auto less_equal(const A& a, const B& b) {
  return le(a, b);
}
template <class A, class B>
constexpr auto multiply(const A& a, const B& b) {
  return mul(a, b);
}
template <class A, class B>
constexpr auto not_equal(const A& a, const B& b) {
  return ne(a, b);
}
template <class A, class B>
constexpr auto subtract(const A& a, const B& b) {
  return sub(a, b);
}
template <class A, class B>
constexpr auto ger(const A& a, const B& b) {
  return outer(a, b);
}
template <class A, class B>
constexpr auto vdot(const A& a, const B& b) {
  return dot(a, b);
}
template <class X>
constexpr auto positive(const X& x) {
  return x;
}
template <class X>
constexpr auto clone(const X& x) {
  return x;
}
template <int Axis = 0, class... X>
constexpr auto concat(const X&... x) {
  return cat<Axis>(x...);
}
template <int Axis = 0, class... X>
constexpr auto concatenate(const X&... x) {
  return cat<Axis>(x...);
}
template <class... X>
constexpr auto row_stack(const X&... x) {
  return vstack(x...);
}
template <int A, int B, class X>
constexpr auto swapdims(const X& x) {
  return transpose<A, B>(x);
}
template <AxisList From, AxisList To, class X>
constexpr auto moveaxis(const X& x) {
  return movedim<From, To>(x);
}
template <class... X>
constexpr auto chain_matmul(const X&... x) {
  return multi_dot(x...);
}
template <int Axis = -1, class Y, class P = int>
constexpr auto trapz(const Y& y, const P& places = 1) {
  return trapezoid<Axis>(y, places);
}
template <i64 Capacity, class X>
constexpr auto argwhere(const X& x) {
  return nonzero<Capacity>(x);
}
template <LossReduction R = reduction::mean, class... A>
constexpr auto binary_cross_entropy(const A&... a) {
  return bce<R>(a...);
}
template <LossReduction R = reduction::mean, class... A>
constexpr auto binary_cross_entropy_with_logits(const A&... a) {
  return bce_with_logits<R>(a...);
}

}  // namespace WEFT_NAMESPACE
