// What a rank holds when ranks share out moments, gradients and parameters: numbers known while compiling.

#include "unit/train/zero.hpp"

using namespace test_zero;

namespace {

constexpr i64 wide = 256;
struct Layer {
  nn::Linear<wide, wide> fc;
  constexpr auto operator()(auto x) const { return relu(fc(x)); }
};
struct Written {
  std::array<Layer, 12> h;
  nn::Linear<wide, 10> head;
  constexpr auto operator()(auto x) const {
    for (const auto& layer : h) x = layer(x);
    return head(x);
  }
};
struct Stacked {
  nn::Stack<Layer, 12> h;
  nn::Linear<wide, 10> head;
  constexpr auto operator()(auto x) const { return head(h(x)); }
};
struct Loss {
  constexpr auto operator()(const auto& m, auto x, auto y) const { return cross_entropy(m(x), y); }
};
template <class M, int Stage>
using SharedOut =
    Trainer<M, Loss, Cpu,
            train::Options<optim::AdamW, std::remove_const_t<decltype(comm::zero<Stage, ThreadRanks, 8192>)>>,
            Input<f32, Shape<16, wide>>, Input<i32, Shape<16>>>;

constexpr i64 layer = wide * (wide + 1) * i64{sizeof(f32)};

}  // namespace

TEST_CASE(
    "zero memory: no arena of gradients under zero<2> and zero<3>, and a block's parameters at a time") {
  constexpr i64 arena = nn::state_table<Written>.trained_bytes;
  CHECK(SharedOut<Written, 1>::workspace_bytes() > arena);
  // gradients of a bucket, of one layer here, and what is sent and received
  CHECK(SharedOut<Written, 2>::workspace_bytes() < 4 * layer);
  // and the parameters of one block and the next
  CHECK(SharedOut<Written, 3>::workspace_bytes() < 6 * layer);
  CHECK(SharedOut<Stacked, 2>::workspace_bytes() < 4 * layer);
  CHECK(SharedOut<Stacked, 3>::workspace_bytes() < 6 * layer);
}

TEST_CASE("zero memory: four ranks hold a quarter of the state each") {
  const auto share = [](i64 of_four, i64 of_one) {
    return static_cast<f64>(of_four) / static_cast<f64>(of_one);
  };
  using Three = SharedOut<Written, 3>;
  CHECK(share(Three::state_bytes(4), Three::state_bytes(1)) <= 0.30);
  using Deep = SharedOut<Stacked, 3>;
  CHECK(share(Deep::state_bytes(4), Deep::state_bytes(1)) <= 0.30);
}
