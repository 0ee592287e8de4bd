#include "unit/train/zero.hpp"

using namespace test_zero;

TEST_CASE("zero, gradients: ranks are one process with accumulate, bit for bit") { same_bits<2>(); }
TEST_CASE("zero, gradients: parameter groups, some of them frozen, are one process with accumulate") {
  groups_are_updated<2>();
}
TEST_CASE("zero, gradients: bf16 and f16 are one process with accumulate") { precisions_agree<2>(); }
TEST_CASE("zero, gradients: a Stack, recomputed blocks, a skipped update") { models_agree<2>(); }
TEST_CASE("zero, gradients: fewer parameters than the ranks share out") { small_models_agree<2>(); }
TEST_CASE(
    "zero, gradients: a checkpoint is whole, and any number of ranks goes on from it, however sharded") {
  files_are_whole<2>();
}
TEST_CASE("zero, gradients: ranks gather the average of the weights") { averages_are_gathered<2>(); }

TEST_CASE("zero, gradients: what each rank gathers is what one process gathers in the same order") {
  same_as_one_process<2, 2, Net, 2>(optim::AdamW{.lr = 1e-2f}, clip::norm(0.5f));
  same_as_one_process<2, 3, Net, 2>(optim::SGD{.lr = 0.1f}, precision::f16);
}

namespace {

struct WideStack {
  struct Layer {
    nn::Linear<width, width> fc;
    constexpr auto operator()(auto x) const { return relu(fc(x)); }
  };
  nn::Stack<Layer, 12> h;
  nn::Linear<width, classes> head;
  constexpr auto operator()(auto x) const { return head(h(x)); }
};

}  // namespace

TEST_CASE("zero, gradients: a trip of a loop sums its own") {
  run_ranks(2, [&](int r) {
    const auto adam = optim::AdamW{.lr = 1e-2f};
    using Trainer = decltype(trainer_of<WideStack>(seed{3}, zero<2>, adam));
    using Stage1 = decltype(trainer_of<WideStack>(seed{3}, zero<1>, adam));
    constexpr i64 arena = nn::state_table<WideStack>.trained_bytes, layer = width * width * 4;
    static_assert(Trainer::workspace_bytes() < Stage1::workspace_bytes() - arena + 3 * layer);
    if (r > 0) return;
    const std::string text = Trainer::explain();
    CHECK(text.find("reduce_scatter_state") != std::string::npos);
  });
  same_as_one_process<2, 3, WideStack>(optim::AdamW{.lr = 1e-2f}, clip::norm(0.5f));
  same_as_one_process<2, 2, WideStack, 2>(optim::SGD{.lr = 0.1f}, precision::bf16, check::finite);
}

TEST_CASE("zero, gradients: no rank has all of them") {
  run_ranks(2, [&](int r) {
    const auto adam = optim::AdamW{.lr = 1e-2f};
    auto trainer = trainer_of<Wide>(seed{3}, zero<2>, adam);
    using Trainer = decltype(trainer);
    using Stage1 = decltype(trainer_of<Wide>(seed{3}, zero<1>, adam));
    constexpr i64 arena = nn::state_table<Wide>.trained_bytes;
    constexpr i64 largest = width * width * 4;  // of a bucket
    static_assert(Stage1::workspace_bytes() > arena);
    static_assert(Trainer::workspace_bytes() < Stage1::workspace_bytes() - arena + 2 * largest);
    // a piece of them in the optimiser's state
    static_assert(Trainer::optimizer_bytes(4) < 256 + 3 * (arena / 4 + 256) + 256);
    constexpr i64 most = Trainer::optimizer_bytes(2);
    alignas(256) static std::byte lent[2][most + 256];
    for (i64 k = most; k < most + 256; ++k) lent[r][k] = std::byte{7};
    auto within = trainer_of<Wide>(seed{3}, zero<2>, adam, lend{.optimizer = lent[r]});
    run_calls(within, 2, r, 2);
    CHECK(ThreadRanks::most_sent < 8192 + 4 * width * width);
    bool kept = true;
    for (i64 k = most; k < most + 256; ++k) kept = kept && lent[r][k] == std::byte{7};
    CHECK(kept);
    if (r > 0) return;
    const std::string text = trainer.explain();
    CHECK(text.find("reduce_scatter_into") != std::string::npos);
    CHECK(text.find("all_reduce") == std::string::npos);
  });
}
