#include <doctest/doctest.h>

#include "support/gradcheck.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/loss/likelihood.hpp"
#include "weft/ops/loss/regression.hpp"
#include "weft/ops/math/logic.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/nn/norm.hpp"
#include "weft/ops/reduce/composed.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/shape/rearrange.hpp"
#include "weft/ops/shape/triangular.hpp"

using namespace weft;
using namespace weft::testing;

namespace {
template <class F, class... P>
void check(const std::string& what, const F& f, const P&... points) {
  const GradCheck r = gradcheck(f, points...);
  INFO(what, ": error ", r.error, ", lowered ", r.lowered);
  CHECK(r.ok());
}

const auto x = point<3, 4>(-2, 2, 1), y = point<3, 4>(-2, 2, 2);
const auto positive = point<3, 4>(0.3, 2, 3), inner = point<3, 4>(-0.8, 0.8, 4), far = point<3, 4>(0.2, 2, 5);
const auto row = point<4>(-2, 2, 6);
const auto cube = point<2, 3, 4>(-2, 2, 7);
}  // namespace

TEST_CASE("op gradients: pointwise") {
  check(
      "square", [](auto... v) { return square(v...); }, x);
  check(
      "reciprocal", [](auto... v) { return reciprocal(v...); }, positive);
  check(
      "exp2", [](auto... v) { return exp2(v...); }, x);
  check(
      "log2", [](auto... v) { return log2(v...); }, positive);
  check(
      "log10", [](auto... v) { return log10(v...); }, positive);
  check(
      "asinh", [](auto... v) { return asinh(v...); }, far);
  check(
      "acosh", [](auto v) { return acosh(v + 1); }, positive);
  check(
      "atanh", [](auto... v) { return atanh(v...); }, inner);
  check(
      "erfc", [](auto... v) { return erfc(v...); }, x);
  check(
      "logit", [](auto v) { return logit(v * 0.5 + 0.5); }, inner);
  check(
      "hypot", [](auto... v) { return hypot(v...); }, x, positive);
  check(
      "lerp", [](auto... v) { return lerp(v...); }, x, row, y);
  check(
      "remainder", [](auto... v) { return remainder(v...); }, point<3, 4>(3.1, 3.9), point<3, 4>(1.1, 1.4));
  check(
      "logaddexp", [](auto... v) { return logaddexp(v...); }, x, point<3, 4>(2.1, 4));
  check(
      "copysign", [](auto a, auto b) { return copysign(a, b) + b; }, positive, far);
  check(
      "addcmul", [](auto a, auto b, auto c) { return addcmul(a, b, c, 0.5); }, x, y, row);
  check(
      "addcdiv", [](auto a, auto b, auto c) { return addcdiv(a, b, c, 2); }, x, y, positive);
  check(
      "clamp", [](auto v) { return clamp(v, -0.5, 5); }, far);
  check(
      "where", [](auto a, auto b) { return where(a > 0, b * 2, a * b); }, far, y);
  check(
      "masked_fill", [](auto a, auto b) { return masked_fill(a * b, b > 9, 3); }, x, y);
}
TEST_CASE("op gradients: movement") {
  check(
      "transpose", [](auto v) { return transpose<0, 2>(v) * 2; }, cube);
  check(
      "flatten", [](auto v) { return flatten<1>(v); }, cube);
  check(
      "repeat", [](auto v) { return repeat<2, 1, 3>(v); }, cube);
  check(
      "flip", [](auto v) { return flip<0, 2>(v); }, cube);
  check(
      "roll", [](auto v) { return roll<2, -1>(v); }, cube);
  check(
      "select", [](auto v) { return select<2, -2>(v); }, cube);
  check(
      "slice", [](auto v) { return slice<2, 1, 4, 2>(v); }, cube);
  check(
      "pad", [](auto v) { return pad<1, 2, 0, 1>(v, 3); }, cube);
  check(
      "cat", [](auto a, auto b) { return cat<0>(a, b, a); }, x, y);
  check(
      "stack", [](auto a, auto b) { return stack<1>(a, b * a); }, x, y);
  check(
      "split", [](auto v) { return std::get<1>(split<3, 1>(v)); }, x);
  check(
      "tril", [](auto v) { return tril<1>(v) * triu<-1>(v); }, x);
  check(
      "diagonal", [](auto v) { return diagonal<1>(v); }, x);
}
TEST_CASE("op gradients: reductions and products") {
  check(
      "mean", [](auto v) { return mean<0, 2>(v); }, cube);
  check(
      "var", [](auto v) { return var<1>(v); }, cube);
  check(
      "stddev", [](auto v) { return stddev<0>(v, keepdim); }, x);
  check(
      "logsumexp", [](auto v) { return logsumexp<0, 1>(v); }, cube);
  check(
      "norm", [](auto v) { return norm<-1>(v); }, x);
  check(
      "norm", [](auto v) { return norm<0>(v, order<3>); }, far);
  check(
      "norm", [](auto v) { return norm<0>(v, order<1>); }, far);
  check(
      "prod", [](auto v) { return prod<1>(v); }, cube);
  check(
      "matmul", [](auto a, auto b) { return matmul(a, t(b)); }, x, y);
  check(
      "matmul", [](auto a, auto b) { return matmul(a, b); }, cube, row);
  check(
      "matmul", [](auto a, auto b) { return matmul(a, b); }, cube, point<5, 1, 4, 2>(-2, 2));
  check(
      "addmm", [](auto a, auto b, auto c) { return addmm(c, a, t(b), 0.5, 2); }, x, y, point<3>(-2, 2));
  check(
      "outer", [](auto a, auto b) { return outer(a, b); }, row, point<3>(-2, 2));
  check(
      "trace", [](auto v) { return trace(v); }, x);
}
TEST_CASE("op gradients: activations and normalisation") {
  check(
      "relu", [](auto... v) { return relu(v...); }, far);
  check(
      "sigmoid", [](auto... v) { return sigmoid(v...); }, x);
  check(
      "gelu", [](auto... v) { return gelu(v...); }, x);
  check(
      "gelu_tanh", [](auto... v) { return gelu_tanh(v...); }, x);
  check(
      "silu", [](auto... v) { return silu(v...); }, x);
  check(
      "mish", [](auto... v) { return mish(v...); }, x);
  check(
      "softplus", [](auto v) { return softplus(v, 2); }, far);
  check(
      "elu", [](auto v) { return elu(-v, 0.7); }, far);
  check(
      "selu", [](auto v) { return selu(-v); }, far);
  check(
      "celu", [](auto v) { return celu(-v, 1.3); }, far);
  check(
      "prelu", [](auto v, auto w) { return prelu(-v, w); }, far, row);
  check(
      "hardswish", [](auto... v) { return hardswish(v...); }, inner);
  check(
      "hardsigmoid", [](auto... v) { return hardsigmoid(v...); }, inner);
  check(
      "softsign", [](auto... v) { return softsign(v...); }, far);
  check(
      "logsigmoid", [](auto... v) { return logsigmoid(v...); }, far);
  check(
      "glu", [](auto v) { return glu<2>(v); }, cube);
  check(
      "softmax", [](auto v) { return softmax<1>(v); }, cube);
  check(
      "log_softmax", [](auto v) { return log_softmax<-1>(v); }, cube);
  check(
      "layer_norm", [](auto v, auto w, auto b) { return layer_norm(v, w, b); }, cube, row,
      point<4>(-2, 2, 9));
  check(
      "rms_norm", [](auto v, auto w) { return rms_norm(v, w); }, cube, row);
}
TEST_CASE("op gradients: losses") {
  check(
      "mse_loss", [](auto... v) { return mse_loss(v...); }, x, y);
  check(
      "l1_loss", [](auto... v) { return l1_loss(v...); }, far, point<3, 4>(-2, 0));
  check(
      "huber_loss", [](auto a, auto b) { return huber_loss(a, b, 0.3); }, point<3, 4>(0.5, 2),
      point<3, 4>(-2, 0));
  check(
      "smooth_l1_loss", [](auto a, auto b) { return smooth_l1_loss(a, b, 5); }, x, y);
  check(
      "bce", [](auto... v) { return bce(v...); }, point<3, 4>(0.2, 0.8), point<3, 4>(0, 1, 2));
  check(
      "bce_with_logits", [](auto... v) { return bce_with_logits(v...); }, far, y);
  check(
      "cross_entropy", [](auto v) { return cross_entropy(v, arange<i64, 3>()); }, x);
  check(
      "nll_loss", [](auto v) { return nll_loss(v, arange<i64, 3>() - 1); }, x);
}
