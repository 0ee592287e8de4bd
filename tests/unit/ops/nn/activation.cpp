#include "weft/ops/nn/activation.hpp"

#include "support/parity.hpp"
#include "weft/ops/nn/norm.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/shape/rearrange.hpp"
#include "weft/ops/shape/triangular.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("activation: values, as PyTorch") {
  check_group(
      "activation",
      [](auto y) {
        return std::tuple{relu(y),
                          gelu(y),
                          gelu_tanh(y),
                          silu(y),
                          mish(y),
                          elu(y, 0.7),
                          selu(y),
                          celu(y, 1.3),
                          leaky_relu(y, 0.2),
                          softplus(y),
                          softplus(y, 2),
                          logsigmoid(y),
                          relu6(y),
                          hardswish(y),
                          hardsigmoid(y),
                          hardtanh(y, -2, 1.5),
                          softsign(y),
                          prelu(y, full<f32, 1>(0.3f))};
      },
      in<f32, 4, 6>);
}
TEST_CASE("activation: softmax along every axis") {
  check_group(
      "softmax",
      [](auto g, auto rows) {
        return std::tuple{
            softmax<-1>(g),       softmax<1>(g), softmax<0>(g),    log_softmax<1>(rows),
            log_softmax<0>(rows), glu<1>(g),     softmax<1>(rows), softmax<-1>(transpose<1, 2>(g))};
      },
      in<f32, 2, 6, 3>, in<f32, 4, 37>);
}
TEST_CASE("norm: layer and root-mean-square normalisation") {
  check_group(
      "norm",
      [](auto x, auto w, auto b) {
        return std::tuple{layer_norm(x, w, b), layer_norm(x), layer_norm(x * 1e-3, w, b, 1e-2),
                          rms_norm(x, w)};
      },
      in<f32, 4, 37>, in<f32, 37>, in<f32, 37>);
}
TEST_CASE("creation: values, as PyTorch") {
  check_group(
      "creation",
      [](auto x) {
        return std::tuple{zeros<f32, 2, 3>() + x * 0,
                          ones<f32, 2, 3>(),
                          full<f32, 2, 3>(1.25f),
                          arange<f32, 6>(),
                          arange<i64, 2, 13, 3>(),
                          arange<i64, 5, -3, -2>(),
                          linspace<f32, 7>(-1, 2),
                          linspace<f32, 1>(3, 9),
                          eye<f32, 3>(),
                          eye<f32, 2, 4>(),
                          ones_like(x),
                          full_like(x, 7)};
      },
      in<f32, 2, 3>);
}
