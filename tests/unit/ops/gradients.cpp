#include <doctest/doctest.h>

#include "support/gradcheck.hpp"
#include "weft/ops/activation_more.hpp"
#include "weft/ops/creation.hpp"
#include "weft/ops/linalg.hpp"
#include "weft/ops/loss_more.hpp"
#include "weft/ops/norm.hpp"
#include "weft/ops/rearrange.hpp"
#include "weft/ops/reduce_more.hpp"
#include "weft/ops/triangular.hpp"

using namespace weft;
using namespace weft::testing;

#define CHECK_GRADIENT(call, ...)                                    \
  do {                                                               \
    const GradCheck r = gradcheck([](auto... operands) { return call(operands...); }, __VA_ARGS__); \
    INFO(#call, ": error ", r.error, ", lowered ", r.lowered);       \
    CHECK(r.ok());                                                   \
  } while (false)

namespace {
const auto x = point<3, 4>(-2, 2, 1), y = point<3, 4>(-2, 2, 2);
const auto positive = point<3, 4>(0.3, 2, 3), inner = point<3, 4>(-0.8, 0.8, 4), far = point<3, 4>(0.2, 2, 5);
const auto row = point<4>(-2, 2, 6);
const auto cube = point<2, 3, 4>(-2, 2, 7);
}  // namespace

TEST_CASE("op gradients: pointwise") {
  CHECK_GRADIENT(square, x);
  CHECK_GRADIENT(reciprocal, positive);
  CHECK_GRADIENT(exp2, x);
  CHECK_GRADIENT(log2, positive);
  CHECK_GRADIENT(log10, positive);
  CHECK_GRADIENT(asinh, far);
  CHECK_GRADIENT([](auto v) { return acosh(v + 1); }, positive);
  CHECK_GRADIENT(atanh, inner);
  CHECK_GRADIENT(erfc, x);
  CHECK_GRADIENT([](auto v) { return logit(v * 0.5 + 0.5); }, inner);
  CHECK_GRADIENT(hypot, x, positive);
  CHECK_GRADIENT(lerp, x, row, y);
  CHECK_GRADIENT(remainder, point<3, 4>(3.1, 3.9), point<3, 4>(1.1, 1.4));
  CHECK_GRADIENT(logaddexp, x, point<3, 4>(2.1, 4));
  CHECK_GRADIENT(copysign, positive, far);
  CHECK_GRADIENT([](auto a, auto b, auto c) { return addcmul(a, b, c, 0.5); }, x, y, row);
  CHECK_GRADIENT([](auto a, auto b, auto c) { return addcdiv(a, b, c, 2); }, x, y, positive);
  CHECK_GRADIENT([](auto v) { return clamp(v, -0.5, 5); }, far);
  CHECK_GRADIENT([](auto a, auto b) { return where(a > 0, b * 2, a * b); }, far, y);
  CHECK_GRADIENT([](auto a, auto b) { return masked_fill(a * b, b > 9, 3); }, x, y);
}
TEST_CASE("op gradients: movement") {
  CHECK_GRADIENT([](auto v) { return transpose<0, 2>(v) * 2; }, cube);
  CHECK_GRADIENT([](auto v) { return flatten<1>(v); }, cube);
  CHECK_GRADIENT([](auto v) { return repeat<2, 1, 3>(v); }, cube);
  CHECK_GRADIENT([](auto v) { return flip<0, 2>(v); }, cube);
  CHECK_GRADIENT([](auto v) { return roll<2, -1>(v); }, cube);
  CHECK_GRADIENT([](auto v) { return select<2, -2>(v); }, cube);
  CHECK_GRADIENT([](auto v) { return slice<2, 1, 4, 2>(v); }, cube);
  CHECK_GRADIENT([](auto v) { return pad<1, 2, 0, 1>(v, 3); }, cube);
  CHECK_GRADIENT([](auto a, auto b) { return cat<0>(a, b, a); }, x, y);
  CHECK_GRADIENT([](auto a, auto b) { return stack<1>(a, b * a); }, x, y);
  CHECK_GRADIENT([](auto v) { return std::get<1>(split<3, 1>(v)); }, x);
  CHECK_GRADIENT([](auto v) { return tril<1>(v) * triu<-1>(v); }, x);
  CHECK_GRADIENT([](auto v) { return diagonal<1>(v); }, x);
}
TEST_CASE("op gradients: reductions and products") {
  CHECK_GRADIENT([](auto v) { return mean<0, 2>(v); }, cube);
  CHECK_GRADIENT([](auto v) { return var<1>(v); }, cube);
  CHECK_GRADIENT([](auto v) { return stddev<0>(v, keepdim); }, x);
  CHECK_GRADIENT([](auto v) { return logsumexp<0, 1>(v); }, cube);
  CHECK_GRADIENT([](auto v) { return norm<-1>(v); }, x);
  CHECK_GRADIENT([](auto v) { return norm<0>(v, order<3>); }, far);
  CHECK_GRADIENT([](auto v) { return norm<0>(v, order<1>); }, far);
  CHECK_GRADIENT([](auto v) { return prod<1>(v); }, cube);
  CHECK_GRADIENT([](auto a, auto b) { return matmul(a, t(b)); }, x, y);
  CHECK_GRADIENT([](auto a, auto b) { return matmul(a, b); }, cube, row);
  CHECK_GRADIENT([](auto a, auto b) { return matmul(a, b); }, cube, point<5, 1, 4, 2>(-2, 2));
  CHECK_GRADIENT([](auto a, auto b, auto c) { return addmm(c, a, t(b), 0.5, 2); }, x, y, point<3>(-2, 2));
  CHECK_GRADIENT([](auto a, auto b) { return outer(a, b); }, row, point<3>(-2, 2));
  CHECK_GRADIENT([](auto v) { return trace(v); }, x);
}
TEST_CASE("op gradients: activations and normalisation") {
  CHECK_GRADIENT(relu, far);
  CHECK_GRADIENT(sigmoid, x);
  CHECK_GRADIENT(gelu, x);
  CHECK_GRADIENT(gelu_tanh, x);
  CHECK_GRADIENT(silu, x);
  CHECK_GRADIENT(mish, x);
  CHECK_GRADIENT([](auto v) { return softplus(v, 2); }, far);
  CHECK_GRADIENT([](auto v) { return elu(-v, 0.7); }, far);
  CHECK_GRADIENT([](auto v) { return selu(-v); }, far);
  CHECK_GRADIENT([](auto v) { return celu(-v, 1.3); }, far);
  CHECK_GRADIENT([](auto v, auto w) { return prelu(-v, w); }, far, row);
  CHECK_GRADIENT(hardswish, inner);
  CHECK_GRADIENT(hardsigmoid, inner);
  CHECK_GRADIENT(softsign, far);
  CHECK_GRADIENT(logsigmoid, far);
  CHECK_GRADIENT([](auto v) { return glu<2>(v); }, cube);
  CHECK_GRADIENT([](auto v) { return softmax<1>(v); }, cube);
  CHECK_GRADIENT([](auto v) { return log_softmax<-1>(v); }, cube);
  CHECK_GRADIENT([](auto v, auto w, auto b) { return layer_norm(v, w, b); }, cube, row, point<4>(-2, 2, 9));
  CHECK_GRADIENT([](auto v, auto w) { return rms_norm(v, w); }, cube, row);
}
TEST_CASE("op gradients: losses") {
  CHECK_GRADIENT(mse_loss, x, y);
  CHECK_GRADIENT(l1_loss, far, point<3, 4>(-2, 0));
  CHECK_GRADIENT([](auto a, auto b) { return huber_loss(a, b, 0.3); }, point<3, 4>(0.5, 2), point<3, 4>(-2, 0));
  CHECK_GRADIENT([](auto a, auto b) { return smooth_l1_loss(a, b, 5); }, x, y);
  CHECK_GRADIENT(bce, point<3, 4>(0.2, 0.8), point<3, 4>(0, 1, 2));
  CHECK_GRADIENT(bce_with_logits, far, y);
  CHECK_GRADIENT([](auto v) { return cross_entropy(v, arange<i64, 3>()); }, x);
  CHECK_GRADIENT([](auto v) { return nll_loss(v, arange<i64, 3>() - 1); }, x);
}
