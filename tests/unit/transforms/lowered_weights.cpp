#include "weft/transforms/lowered_weights.hpp"

#include <doctest/doctest.h>

#include <array>

#include "weft/weft.hpp"

using namespace weft;

namespace {

// Reads of state that are cast, each once.
int casts_of_state(const ir::Graph& g) {
  int casts = 0;
  for (int i = 0; i < g.nodes.size(); ++i)
    casts += g.nodes[i].op == ir::Op::cast && g.nodes[g.in(i, 0)].op == ir::Op::state;
  return casts;
}
int unpacked(const ir::Graph& g) {
  int parts = 0;
  for (const ir::Node& n : g.nodes) parts += n.op == ir::Op::flat_slice;
  return parts;
}

template <class M>
ir::Graph lowered() {
  constexpr auto loss = [](const auto& m, auto x) { return mean<>(m(x)); };
  return transforms::prune(train::StepSource<M, decltype(loss), train::Options<optim::SGD, precision::BF16>,
                                             true, Input<f32, Shape<4, 8>>>::graph());
}

struct Far {  // the weights of two products, with what no product reads between them
  nn::Linear<8, 8> first{};
  nn::Embedding<1000, 8> table{};
  nn::Linear<8, 8> second{};
  constexpr auto operator()(auto x) const { return second(first(x) + mean<0>(table(arange<i32, 1000>()))); }
};

struct Deep {
  std::array<nn::Linear<8, 8>, 5> layers{};
  constexpr auto operator()(auto x) const {
    for (const auto& layer : layers) x = tanh(layer(x));
    return x;
  }
};

}  // namespace

TEST_CASE("lowered weights: neighbouring weights are cast as one vector, distant ones each alone") {
  const ir::Graph deep = lowered<Deep>(), far = lowered<Far>();
  CHECK(casts_of_state(deep) == 1);
  CHECK(unpacked(deep) == 5);
  CHECK(casts_of_state(far) == 2);
  CHECK(unpacked(far) == 0);
}
