#include "weft/transforms/checkpoint_order.hpp"

#include <doctest/doctest.h>

#include "weft/weft.hpp"

using namespace weft;

// The order itself and its estimates are held against plans in train/budget.cpp.
TEST_CASE("checkpoint order: what a node costs, in bytes moved meanwhile") {
  constexpr auto f = [](auto x, auto w, auto image, auto kernel) {
    const auto y = matmul(x, w);
    return std::tuple(sum<1>(y), exp(y), conv2d<ConvOptions{.padding = 1}>(image, kernel));
  };
  using F = std::remove_const_t<decltype(f)>;
  using Source = exec::FunctionSource<F, Input<f32, Shape<64, 32>>, Input<f32, Shape<32, 16>>,
                                      Input<f32, Shape<2, 3, 8, 8>>, Input<f32, Shape<5, 3, 3, 3>>>;
  const ir::Graph g = Source::graph();
  const auto cost = [&](ir::Op op) {
    for (int i = 0; i < g.nodes.size(); ++i)
      if (g.nodes[i].op == op) return transforms::checkpoint_cost(g, i);
    return -1.0;
  };
  CHECK(cost(ir::Op::dot) == 2.0 * 64 * 32 * 16 / 16);
  CHECK(cost(ir::Op::conv) == 2.0 * (2 * 5 * 8 * 8) * (3 * 3 * 3) / 16);
  CHECK(cost(ir::Op::reduce_sum) == 4.0 * 64 * 16);  // what it reads
  CHECK(cost(ir::Op::exp) == 4.0 * 64 * 16);         // what it writes
}
