#include "unit/train/zero.hpp"

using namespace test_zero;

TEST_CASE("zero, gradients: ranks that share the moments out are one process with accumulate, bit for bit") {
  same_as_one_process<2, 1>(optim::AdamW{.lr = 1e-2f}, clip::norm(0.5f));
  same_as_one_process<2, 2>(optim::SGD{.lr = 0.1f});
  same_as_one_process<2, 3>(optim::AdamW{.lr = 1e-2f});
  same_as_one_process<2, 4>(optim::AdamW{.lr = 1e-2f}, clip::norm(0.5f));
  same_as_one_process<2, 2>(optim::AdamW{.lr = 1e-2f}, clip::value(0.01f));
}

TEST_CASE("zero, gradients: parameter groups, some of them frozen, are one process with accumulate") {
  constexpr auto is_norm = [](std::string_view name, const Dims&) { return name.starts_with("norm"); };
  constexpr auto is_head = [](std::string_view name, const Dims&) { return name.starts_with("head"); };
  same_as_one_process<2, 3>(optim::groups(optim::no_decay(optim::is_vector), optim::AdamW{.lr = 1e-2f}));
  same_as_one_process<2, 3>(optim::groups(optim::frozen(is_norm), optim::AdamW{.lr = 1e-2f}),
                            clip::norm(0.1f));
  same_as_one_process<2, 2>(optim::groups(optim::frozen(is_head), optim::AdamW{.lr = 1e-2f}),
                            clip::norm(0.1f));
}

TEST_CASE("zero, gradients: bf16 and f16 are one process with accumulate") {
  same_as_one_process<2, 2>(optim::AdamW{.lr = 1e-2f}, precision::bf16);
  same_as_one_process<2, 3>(optim::AdamW{.lr = 1e-2f}, precision::f16);
  same_as_one_process<2, 2>(optim::AdamW{.lr = 1e-2f}, precision::f16, clip::norm(1.0f));
}

TEST_CASE("zero, gradients: a Stack, recomputed blocks, a skipped update") {
  same_as_one_process<2, 2, Deep>(optim::AdamW{.lr = 1e-2f});
  same_as_one_process<2, 3, Recomputed>(optim::AdamW{.lr = 1e-2f}, checkpoint::blocks);
  same_as_one_process<2, 3, Overflowing>(optim::AdamW{.lr = 1e-2f}, precision::f16);
}

TEST_CASE("zero, gradients: fewer parameters than the ranks share out") {
  same_as_one_process<2, 4, Tiny>(optim::AdamW{.lr = 1e-2f});
  same_as_one_process<2, 3, Tiny>(optim::AdamW{.lr = 1e-2f}, clip::norm(0.1f));
}

TEST_CASE("zero, gradients: what each rank gathers is what one process gathers in the same order") {
  same_as_one_process<2, 2, Net, 2>(optim::AdamW{.lr = 1e-2f}, clip::norm(0.5f));
  same_as_one_process<2, 3, Net, 2>(optim::SGD{.lr = 0.1f}, precision::f16);
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

TEST_CASE(
    "zero, gradients: a checkpoint is whole, and any number of ranks goes on from it, however sharded") {
  const ScratchFolder folder;
  const auto adam = optim::AdamW{.lr = 1e-2f};
  const auto bound = clip::norm(0.5f);
  const std::string at = folder / "at", whole = folder / "whole", other = folder / "other";
  const auto ddp = comm::ddp<ThreadRanks, 8192>;
  save_steps<Net>(zero<2>, 3, 0, 2, 3, "", at, adam, bound);
  save_steps<Net>(ddp, 3, 0, 2, 3, "", other, adam, bound);
  CHECK(test_support::different_tensors(at, other) == "");
  // on as many ranks it is the run that did not stop
  save_steps<Net>(zero<2>, 3, 0, 4, 3, "", whole, adam, bound);
  save_steps<Net>(zero<2>, 3, 2, 4, 3, at, other, adam, bound);
  CHECK(test_support::different_tensors(whole, other) == "");
  save_steps<Net>(ddp, 3, 2, 4, 3, at, other, adam, bound);
  CHECK(test_support::different_tensors(whole, other) == "");
  // the mean of two or four equal gradients is theirs, on any number of ranks
  save_steps<Plain>(zero<2>, 4, 0, 2, 1, "", at, adam, bound);
  save_steps<Plain>(zero<2>, 1, 2, 4, 1, at, whole, adam, bound);
  save_steps<Plain>(zero<2>, 2, 2, 4, 1, at, other, adam, bound);
  CHECK(test_support::different_tensors(whole, other) == "");
  save_steps<Plain>(comm::none, 1, 2, 4, 1, at, other, adam, bound);
  CHECK(test_support::different_tensors(whole, other) == "");
  save_steps<Plain>(zero<2>, 4, 2, 4, 1, whole, at, adam, bound);
  CHECK(test_support::different_tensors(whole, at) != "");  // which sees what changes
}

TEST_CASE("zero, gradients: ranks gather the average of the weights") {
  const auto averaged = optim::ema(optim::AdamW{.lr = 1e-2f}, 0.9f);
  auto alone = trainer_of<Net>(seed{3}, accumulate<2>, averaged);
  run_calls(alone, 6, 0, 1);
  const auto want = alone.average();
  std::string different[2];
  run_ranks(2, [&](int r) {
    auto trainer = trainer_of<Net>(seed{3}, zero<2>, averaged, check::finite);
    run_calls(trainer, 3, r, 2);
    different[r] = test_support::different_state(trainer.average(), want);
  });
  CHECK(different[0] == "");
  CHECK(different[1] == "");
}
