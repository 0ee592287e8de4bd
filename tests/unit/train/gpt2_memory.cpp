// What checkpointing saves on GPT-2, 12 blocks of width 768 at (4, 512) in f32: numbers known while
// compiling.

#include <doctest/doctest.h>

#include "../../../benchmarks/compile/gpt2.hpp"

using namespace weft;

namespace {

using Gpt2 = gpt2::Gpt2<512, 768, 12, 50257, 12>;
using Tokens = Input<i32, Shape<4, 512>>;
template <class Policy>
using Step =
    train::compiled_step<Gpt2, gpt2::NextToken, train::Options<optim::AdamW, Policy>, true, Tokens, Tokens>;
template <class Policy>
constexpr i64 workspace = exec::Compiled<Step<Policy>>::header.workspace_bytes;
template <class Policy>
constexpr i64 flops = exec::Compiled<Step<Policy>>::header.flops;

constexpr i64 none = workspace<checkpoint::None>, blocks = workspace<checkpoint::Blocks>;
constexpr i64 budget = (none + blocks) / 2;

}  // namespace

TEST_CASE("gpt2 memory: blocks hold at most 0.35 of what nothing computed again does, at 1.25 of its FLOPs") {
  constexpr i64 logits = 4 * 512 * 50257 * i64{sizeof(f32)};
  constexpr i64 aside = nn::state_table<Gpt2>.trained_bytes + logits;
  CHECK(static_cast<f64>(blocks - aside) <= 0.35 * static_cast<f64>(none - aside));
  CHECK(static_cast<f64>(flops<checkpoint::Blocks>) <= 1.25 * static_cast<f64>(flops<checkpoint::None>));
}

TEST_CASE("gpt2 memory: a budget is kept, and its room used") {
  constexpr i64 used = workspace<checkpoint::Budget<budget>>;
  CHECK(used <= budget);
  CHECK(static_cast<f64>(used - blocks) >= 0.9 * static_cast<f64>(budget - blocks));
  // a search of one try: the estimate is near
  using Whole =
      train::StepSource<Gpt2, gpt2::NextToken, train::Options<optim::AdamW, checkpoint::Budget<budget>>, true,
                        Tokens, Tokens>;
  constexpr int kept = train::SearchBudget<Whole, budget>::count;
  CHECK(kept == train::SearchBudget<Whole, budget>::tried);
  CHECK(static_cast<f64>(train::Order<Whole>::bytes(kept)) ==
        doctest::Approx(static_cast<f64>(used)).epsilon(0.01));
  CHECK(flops<checkpoint::Budget<budget>> < flops<checkpoint::Blocks>);
  CHECK(flops<checkpoint::None> < flops<checkpoint::Budget<budget>>);
}
