#include "unit/train/zero.hpp"

using namespace test_zero;

TEST_CASE("zero: ranks are one process with accumulate, bit for bit") { same_bits<1>(); }
TEST_CASE("zero: parameter groups, some of them frozen, are one process with accumulate") {
  groups_are_updated<1>();
}
TEST_CASE("zero: bf16 and f16 are one process with accumulate") { precisions_agree<1>(); }
TEST_CASE("zero: a Stack, recomputed blocks, a skipped update") { models_agree<1>(); }
TEST_CASE("zero: fewer parameters than the ranks share out") { small_models_agree<1>(); }
TEST_CASE("zero: a checkpoint is whole, and any number of ranks goes on from it, however sharded") {
  files_are_whole<1>();
}
TEST_CASE("zero: ranks gather the average of the weights") { averages_are_gathered<1>(); }

TEST_CASE("zero: what each rank gathers is communicated once, and is that of ddp") {
  std::string different[3];
  run_ranks(3, [&](int r) {
    const auto make = [](const auto& comm) {
      return trainer_of<Net>(seed{3}, comm, accumulate<2>, optim::AdamW{.lr = 1e-2f}, clip::norm(0.1f));
    };
    auto trainer = make(zero<1>);
    auto whole = make(comm::ddp<ThreadRanks, 8192>);
    ThreadRanks::sums = 0;
    run_calls(trainer, 6, r, 3);
    const i64 sums = std::exchange(ThreadRanks::sums, 0);
    auto plain = trainer_of<Net>(seed{3}, zero<1>, optim::AdamW{.lr = 1e-2f}, clip::norm(0.1f));
    run_calls(plain, 3, r, 3);
    CHECK(sums > 0);
    CHECK(sums == ThreadRanks::sums);  // of three updates
    run_calls(whole, 6, r, 3);
    different[r] = test_support::different_state(trainer.model(), whole.model());
  });
  for (const std::string& what : different) CHECK(what == "");
}

TEST_CASE("zero: bytes are constants of the number of ranks") {
  auto alone = trainer_of<Net>(seed{3}, optim::AdamW{.lr = 1e-2f});
  const ScratchFolder folder;
  run_ranks(2, [&](int r) {
    auto trainer = trainer_of<Net>(seed{3}, zero<1>, optim::AdamW{.lr = 1e-2f});
    using Trainer = decltype(trainer);
    constexpr i64 arena = 19'840 * 4, head = 256;  // each parameter aligned to 64
    static_assert(Trainer::optimizer_bytes() == head + 2 * arena);
    static_assert(Trainer::optimizer_bytes(2) == head + arena);
    static_assert(Trainer::optimizer_bytes(4) == head + 2 * 256 * ((arena / 256 + 3) / 4));
    static_assert(Trainer::state_bytes(1000) == Trainer::state_bytes(1) - 2 * (arena - 256));
    static_assert(decltype(alone)::state_bytes(4) == decltype(alone)::state_bytes());
    // memory of the caller, of which a rank needs no more
    constexpr i64 most = Trainer::optimizer_bytes(2);
    alignas(256) static std::byte lent[2][most + 256];
    for (i64 k = most; k < most + 256; ++k) lent[r][k] = std::byte{7};
    auto within = trainer_of<Net>(seed{3}, zero<1>, optim::AdamW{.lr = 1e-2f}, lend{.optimizer = lent[r]});
    run_calls(within, 2, r, 2);
    bool kept = true;
    for (i64 k = most; k < most + 256; ++k) kept = kept && lent[r][k] == std::byte{7};
    CHECK(kept);
    if (r > 0) return;
    const std::string text = trainer.explain();
    CHECK(text.find("reduce_scatter_start") != std::string::npos);
    CHECK(text.find("all_reduce") == std::string::npos);
    trainer.memory_timeline(folder / "timeline.html");
  });
}
