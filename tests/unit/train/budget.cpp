#include "weft/train/budget.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "support/same_state.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

constexpr i64 batch = 4, length = 64, width = 64, classes = 50;

struct Block {
  nn::LayerNorm<width> norm1;
  nn::Linear<width, 3 * width> qkv;
  nn::Linear<width, width> out;
  nn::Dropout drop{.p = 0.1f};
  nn::LayerNorm<width> norm2;
  nn::Linear<width, 4 * width> up;
  nn::Linear<4 * width, width> down;
  constexpr auto operator()(auto x) const {
    const auto [q, k, v] = chunk<3, -1>(qkv(norm1(x)));
    const auto heads = [](auto t) { return transpose<1, 2>(reshape<batch, length, 4, width / 4>(t)); };
    const auto mixed =
        scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(heads(q), heads(k), heads(v));
    const auto y = x + drop(out(reshape<batch, length, width>(transpose<1, 2>(mixed))));
    return y + down(gelu(up(norm2(y))));
  }
};
template <class Blocks>
struct Gpt {
  nn::Embedding<classes, width> wte;
  Blocks h;
  nn::LayerNorm<width> norm;
  nn::Linear<width, classes> head;
  constexpr auto operator()(auto tokens) const {
    auto x = wte(tokens);
    if constexpr (requires { h.size(); })
      for (const Block& block : h) x = block(x);
    else
      x = h(x);
    return head(norm(x));
  }
};
using Written = Gpt<std::array<Block, 3>>;
using Stacked = Gpt<nn::Stack<Block, 3>>;

constexpr auto next_token = [](const auto& m, auto x, auto y) {
  return cross_entropy(reshape<batch * length, classes>(m(x)), reshape<batch * length>(y));
};

using Loss = std::remove_const_t<decltype(next_token)>;
using Tokens = std::remove_const_t<decltype(in<i32, batch, length>)>;
// The step of a trainer with a checkpoint option, as it is compiled.
template <class M, class Checkpoint>
using Step = train::compiled_step<M, Loss, train::Options<optim::AdamW, Checkpoint>, true, Tokens, Tokens>;
template <class M, class Checkpoint>
constexpr i64 workspace = train::planned_workspace<Step<M, Checkpoint>>;
template <class M, class Checkpoint>
constexpr i64 flops = exec::Compiled<Step<M, Checkpoint>>::header.flops;

template <class M, class... O>
auto trainer_of(const O&... options) {
  return make_trainer<M>(Cpu{}, next_token, in<i32, batch, length>, in<i32, batch, length>,
                         optim::AdamW{.lr = 1e-2f}, seed{1}, options...);
}
template <class T>
std::vector<f32> losses(T& trainer) {
  std::vector<i32> x(batch * length), y(batch * length);
  std::vector<f32> all;
  for (int step = 0; step < 4; ++step) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<i32>((i * 7 + i / 5 + static_cast<std::size_t>(step)) % classes);
      y[i] = static_cast<i32>((i * 3) % classes);
    }
    all.push_back(trainer.step(x, y).value());
  }
  return all;
}

}  // namespace

TEST_CASE("budget: is used and never exceeded, and more memory is less work") {
  constexpr i64 least = workspace<Written, checkpoint::Blocks>, most = workspace<Written, checkpoint::None>;
  REQUIRE(least < most);
  constexpr int sizes = 4;
  i64 work = flops<Written, checkpoint::Blocks> + 1;
  const auto at = [&]<int K>() {
    constexpr i64 bytes = least + (most - least) * K / (sizes - 1);
    constexpr i64 taken = workspace<Written, checkpoint::Budget<bytes>>;
    CAPTURE(K);
    CHECK(taken <= bytes);
    CHECK(static_cast<double>(taken) >= 0.9 * static_cast<double>(bytes));
    constexpr i64 now = flops<Written, checkpoint::Budget<bytes>>;
    CHECK(now < work);
    work = now;
  };
  [&]<int... K>(std::integer_sequence<int, K...>) { (at.template operator()<K>(), ...); }
  (std::make_integer_sequence<int, sizes>{});
  CHECK(work == flops<Written, checkpoint::None>);
}

TEST_CASE("budget: estimates are close to plans, and the order begins with what is worth most") {
  using Whole = train::StepSource<Written, Loss, train::Options<optim::AdamW>, true, Tokens, Tokens>;
  using Order = train::Order<Whole>;
  constexpr int all = Order::count;
  for (int k = 0; k < all; ++k) CHECK(Order::bytes(k) <= Order::bytes(k + 1));
  const auto close = [](i64 estimate, i64 planned) {
    CHECK(static_cast<double>(estimate) == doctest::Approx(static_cast<double>(planned)).epsilon(0.15));
  };
  close(Order::bytes(0), workspace<Written, checkpoint::Blocks>);
  close(Order::bytes(all / 2), train::planned_workspace<train::KeptSource<Whole, all / 2>>);
  close(Order::bytes(all), workspace<Written, checkpoint::None>);
  // the result of a product with parameters saves more for its bytes than what is added to it saves
  const ir::Graph g = train::WholeSource<Whole>::graph();
  const auto place = [&](auto is) {
    for (int k = 0; k < all; ++k)
      if (is(Order::node(k))) return k;
    return all;
  };
  const int wide = place([&](int i) { return g.dims(i).rank == 3 && g.dims(i).extent[2] == 4 * width; });
  const int weights = place([&](int i) { return g.dims(i).rank == 4 && g.dims(i).extent[3] == length; });
  CHECK(wide < weights);
}

TEST_CASE("budget: the bits of a run that keeps everything") {
  auto plain = trainer_of<Written>();
  const std::vector<f32> expected = losses(plain);
  constexpr i64 least = workspace<Written, checkpoint::Blocks>, most = workspace<Written, checkpoint::None>;
  auto half = trainer_of<Written>(checkpoint::budget<(least + most) / 2>);
  CHECK(losses(half) == expected);
  CHECK(test_support::different_state(plain.model(), half.model()) == "");
  CHECK(half.workspace_bytes() <= (least + most) / 2);
  CHECK(half.plan().flops > plain.plan().flops);
}

TEST_CASE("budget: of a Stack all, products or carries are kept; of two programs both count") {
  auto plain = trainer_of<Stacked>();
  const std::vector<f32> expected = losses(plain);
  constexpr i64 dots = workspace<Stacked, checkpoint::Dots>, most = workspace<Stacked, checkpoint::None>;
  CHECK(workspace<Stacked, checkpoint::Budget<most>> == most);
  CHECK(workspace<Stacked, checkpoint::Budget<dots - 1>> == workspace<Stacked, checkpoint::Blocks>);
  auto kept = trainer_of<Stacked>(checkpoint::budget<most - 1>);
  CHECK(losses(kept) == expected);
  CHECK(test_support::different_state(plain.model(), kept.model()) == "");
  CHECK(kept.workspace_bytes() == dots);

  using O = train::Options<optim::AdamW, Accumulate<2>, checkpoint::Budget<most>>;
  CHECK(train::budgeted_workspace<Stacked, Loss, O, Tokens, Tokens>() <= most);
  CHECK(train::budgeted_workspace<Stacked, Loss, O, Tokens, Tokens>() >
        workspace<Stacked, checkpoint::Blocks>);
}
