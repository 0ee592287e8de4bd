// Activations and statistics of the 8-bit floats.

#include "support/device.hpp"
#include "unit/ops/float8.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/nn/norm.hpp"
#include "weft/ops/reduce/composed.hpp"

using namespace float8_test;

namespace {

template <class T>
void check_activations() {
  using S = Shape<4, 6>;
  const ReferenceGroup group = read_group(std::string("float8/activations_") + name_of(dtype_of<T>));
  auto function = compile(
      test_device(),
      [](auto a, auto big) {
        return std::tuple{softmax<1>(a), log_softmax<1>(a), logsumexp<1>(a), stddev<1>(a),
                          norm<1>(big),  sigmoid(a),        layer_norm(a),   gelu(a),
                          silu(a),       softplus(a),       mish(a),         elu(a),
                          selu(a),       softsign(a),       logsigmoid(a)};
      },
      in<T, 4, 6>, in<T, 4, 6>);
  check_all_same(function(tensor<T, S>(group.inputs[0].values), tensor<T, S>(group.inputs[1].values)), group);
}

}  // namespace

TEST_CASE("float8: activations are computed in f32 and rounded once") {
  check_activations<f8e4m3>();
  check_activations<f8e5m2>();
}
