// Activations, normalisations and statistics: floats keep their dtype, integers and booleans give f32.

#include "unit/ops/dtypes.hpp"
#include "weft/ops/index/sort.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/nn/norm.hpp"
#include "weft/ops/reduce/composed.hpp"

using namespace dtype_test;

TEST_CASE("dtypes: activations, normalisations and statistics, on every kind of dtype") {
  check_dtypes<f64, f16, bf16, i32, bool>("activation", [](const auto& e) {
    return std::tuple{
        gelu(e.x),      silu(e.x),        softplus(e.x),        logsigmoid(e.x),       mish(e.x),
        elu(e.x),       selu(e.x),        leaky_relu(e.x),      hardsigmoid(e.x),      hardswish(e.x),
        gelu_tanh(e.x), softmax<-1>(e.x), log_softmax<-1>(e.x), layer_norm(e.x),       rms_norm(e.x),
        var<1>(e.x),    stddev<1>(e.x),   norm<1>(e.x),         quantile<1>(e.x, 0.25)};
  });
}
