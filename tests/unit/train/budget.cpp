#include "weft/train/budget.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "support/same_state.hpp"
#include "support/small_gpt.hpp"
#include "weft/weft.hpp"

using namespace weft;
using namespace test_support::small_gpt;

namespace {

using Written = Gpt<std::array<Block, 3>>;
using Stacked = Gpt<nn::Stack<Block, 3>>;

using Loss = std::remove_const_t<decltype(next_token)>;
using Tokens = std::remove_const_t<decltype(in<i32, batch, length>)>;
// The step of a trainer with a checkpoint option, as it is compiled.
template <class M, class Checkpoint>
using Step = train::compiled_step<M, Loss, train::Options<optim::AdamW, Checkpoint>, true, Tokens, Tokens>;
template <class M, class Checkpoint>
constexpr i64 workspace = train::planned_workspace<Step<M, Checkpoint>>;
template <class M, class Checkpoint>
constexpr i64 flops = exec::Compiled<Step<M, Checkpoint>>::header.flops;

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
    CHECK(static_cast<double>(estimate) >= 0.99 * static_cast<double>(planned));
    // a value that is computed again beside its reader may never be stored
    CHECK(static_cast<double>(estimate) <= 1.25 * static_cast<double>(planned));
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

  // two programs: the least that both take together is enough for them
  using Least = train::Options<optim::AdamW, Accumulate<2>, checkpoint::Budget<0>>;
  constexpr i64 least = train::budgeted_workspace<Stacked, Loss, Least, Tokens, Tokens>();
  using Enough = train::Options<optim::AdamW, Accumulate<2>, checkpoint::Budget<least>>;
  CHECK(train::budgeted_workspace<Stacked, Loss, Enough, Tokens, Tokens>() == least);
  using More = train::Options<optim::AdamW, Accumulate<2>, checkpoint::Budget<least + most>>;
  CHECK(train::budgeted_workspace<Stacked, Loss, More, Tokens, Tokens>() <= least + most);
  CHECK(train::budgeted_workspace<Stacked, Loss, More, Tokens, Tokens>() > least);
}
