#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/repository.hpp"
#include "support/same_state.hpp"
#include "support/thread_ranks.hpp"
#include "weft/train/ranks.hpp"
#include "weft/weft.hpp"

using namespace weft;
using test_support::run_ranks;
using test_support::ThreadRanks;

namespace {

constexpr i64 batch = 16, width = 64, classes = 10;

struct Net {  // 19,786 parameters, whose norm has two chunks
  nn::Linear<width, 129> fc1;
  nn::LayerNorm<129> norm;
  nn::Dropout drop{.p = 0.2f};
  nn::Linear<129, 77> fc2;
  nn::Linear<77, classes> head;
  constexpr auto operator()(auto x) const { return head(gelu(fc2(drop(norm(relu(fc1(x))))))); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };

// Of a few KiB, so that there are several.
template <i64 Bytes = 8192>
inline constexpr auto zero = comm::zero<1, ThreadRanks, Bytes>;

template <class Model, class... O>
auto trainer_of(const O&... options) {
  return make_trainer<Model>(Cpu{1}, loss, in<f32, batch, width>, in<i32, batch>, options...);
}
struct Batch {
  std::vector<f32> x;
  std::vector<i32> y;
};
// Batch number `call` of all.
Batch batch_of(i64 call) {
  Batch b{std::vector<f32>(batch * width), std::vector<i32>(batch)};
  for (std::size_t i = 0; i < b.x.size(); ++i)
    b.x[i] = static_cast<f32>(std::sin(0.37 * static_cast<f64>(i) + 1.3 * static_cast<f64>(call)));
  for (std::size_t i = 0; i < b.y.size(); ++i)
    b.y[i] = static_cast<i32>((i * 3 + static_cast<std::size_t>(call)) % classes);
  return b;
}
template <class T>
void run_calls(T& trainer, int calls, i64 rank, i64 of) {
  for (i64 c = 0; c < calls; ++c) {
    const Batch b = batch_of(c * of + rank);
    trainer.step(b.x, b.y);
  }
}

// That n ranks end where one process does that gathers the gradients of n calls.
template <int N, class Model = Net, class... O>
void same_as_one_process(const O&... options) {
  auto alone = trainer_of<Model>(seed{3}, accumulate<N>, options...);
  run_calls(alone, 3 * N, 0, 1);
  std::vector<std::string> different(N);
  run_ranks(N, [&](int r) {
    auto trainer = trainer_of<Model>(seed{3}, zero<>, options...);
    run_calls(trainer, 3, r, N);
    different[static_cast<std::size_t>(r)] = test_support::different_state(trainer.model(), alone.model());
    if constexpr ((std::is_same_v<O, clip::Norm> || ...))
      if (trainer.gradient_norm() != alone.gradient_norm()) different[static_cast<std::size_t>(r)] += " norm";
  });
  for (int r = 0; r < N; ++r) CHECK_MESSAGE(different[static_cast<std::size_t>(r)] == "", r);
}

}  // namespace

TEST_CASE("zero: ranks that share the moments out are one process with accumulate, bit for bit") {
  same_as_one_process<1>(optim::AdamW{.lr = 1e-2f}, clip::norm(0.5f));
  same_as_one_process<2>(optim::SGD{.lr = 0.1f});
  same_as_one_process<3>(optim::AdamW{.lr = 1e-2f});
  same_as_one_process<4>(optim::AdamW{.lr = 1e-2f}, clip::norm(0.5f));
  same_as_one_process<2>(optim::AdamW{.lr = 1e-2f}, clip::value(0.01f));
}

TEST_CASE("zero: parameter groups, some of them frozen, are one process with accumulate") {
  constexpr auto is_norm = [](std::string_view name, const Dims&) { return name.starts_with("norm"); };
  constexpr auto is_head = [](std::string_view name, const Dims&) { return name.starts_with("head"); };
  same_as_one_process<3>(optim::groups(optim::no_decay(optim::is_vector), optim::AdamW{.lr = 1e-2f}));
  same_as_one_process<3>(optim::groups(optim::frozen(is_norm), optim::AdamW{.lr = 1e-2f}), clip::norm(0.1f));
  same_as_one_process<2>(optim::groups(optim::frozen(is_head), optim::AdamW{.lr = 1e-2f}), clip::norm(0.1f));
}

TEST_CASE("zero: bf16 and f16 are one process with accumulate") {
  same_as_one_process<2>(optim::AdamW{.lr = 1e-2f}, precision::bf16);
  same_as_one_process<3>(optim::AdamW{.lr = 1e-2f}, precision::f16);
  same_as_one_process<2>(optim::AdamW{.lr = 1e-2f}, precision::f16, clip::norm(1.0f));
}

namespace {

struct Block {
  nn::Linear<width, width> fc;
  nn::Dropout drop{.p = 0.1f};
  constexpr auto operator()(auto x) const { return x + drop(gelu(fc(x))); }
};
struct Deep {
  nn::Linear<width, width> in_proj;
  nn::Stack<Block, 3> h;
  nn::Linear<width, classes> head;
  constexpr auto operator()(auto x) const { return head(h(in_proj(x))); }
};
struct Recomputed {
  std::array<Block, 3> h;
  nn::Linear<width, classes> head;
  constexpr auto operator()(auto x) const {
    for (const Block& block : h) x = block(x);
    return head(x);
  }
};
// Of 20 parameters, which are aligned to 128: two ranks have some, the others none.
struct Tiny {
  nn::Frozen<nn::Linear<width, classes>> fc;
  nn::Param<f32, Shape<classes>> scale, bias;
  constexpr auto operator()(auto x) const { return fc(x) * (scale + 1) + bias; }
};

// What is no number is found wherever it is, and what is skipped is skipped on all.
struct Overflowing {
  nn::Linear<width, classes> fc;
  constexpr auto operator()(auto x) const { return fc(x * 3e4f); }
};

}  // namespace

TEST_CASE("zero: a Stack, recomputed blocks, a skipped update") {
  same_as_one_process<2, Deep>(optim::AdamW{.lr = 1e-2f});
  same_as_one_process<3, Recomputed>(optim::AdamW{.lr = 1e-2f}, checkpoint::blocks);
  same_as_one_process<3, Overflowing>(optim::AdamW{.lr = 1e-2f}, precision::f16);
}

TEST_CASE("zero: fewer parameters than the ranks share out") {
  same_as_one_process<4, Tiny>(optim::AdamW{.lr = 1e-2f});
  same_as_one_process<3, Tiny>(optim::AdamW{.lr = 1e-2f}, clip::norm(0.1f));
}

TEST_CASE("zero: what each rank gathers is communicated once, and is that of ddp") {
  std::string different[3];
  run_ranks(3, [&](int r) {
    const auto make = [](const auto& comm) {
      return trainer_of<Net>(seed{3}, comm, accumulate<2>, optim::AdamW{.lr = 1e-2f}, clip::norm(0.1f));
    };
    auto trainer = make(zero<>);
    auto whole = make(comm::ddp<ThreadRanks, 8192>);
    run_calls(trainer, 6, r, 3);
    run_calls(whole, 6, r, 3);
    different[r] = test_support::different_state(trainer.model(), whole.model());
  });
  for (const std::string& what : different) CHECK(what == "");
}

TEST_CASE("zero: bytes are constants of the number of ranks") {
  auto alone = trainer_of<Net>(seed{3}, optim::AdamW{.lr = 1e-2f});
  const ScratchFolder folder;
  run_ranks(2, [&](int r) {
    auto trainer = trainer_of<Net>(seed{3}, zero<>, optim::AdamW{.lr = 1e-2f});
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
    auto within = trainer_of<Net>(seed{3}, zero<>, optim::AdamW{.lr = 1e-2f}, lend{.optimizer = lent[r]});
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

namespace {

struct Plain {  // the same gradient on every rank that has the same batch
  nn::Linear<width, 129> fc1;
  nn::Linear<129, classes> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

// Calls [first, last) of trainers of so many ranks, which see the batches of `of` ranks, from a checkpoint,
// if there is one, to another.
template <class Model, class Comm, class... O>
void save_steps(const Comm& comm, int ranks, int first, int last, int of, const std::string& from,
                const std::string& to, const O&... options) {
  run_ranks(ranks, [&](int r) {
    auto trainer = trainer_of<Model>(seed{static_cast<u64>(3 + r)}, comm, options...);
    if (!from.empty()) trainer.load(from);
    for (i64 c = first; c < last; ++c) {
      const Batch b = batch_of(c * of + r % of);
      trainer.step(b.x, b.y);
    }
    trainer.save(to);
  });
}

}  // namespace

TEST_CASE("zero: a checkpoint is whole, and any number of ranks goes on from it, however sharded") {
  const ScratchFolder folder;
  const auto adam = optim::AdamW{.lr = 1e-2f};
  const auto bound = clip::norm(0.5f);
  const std::string at = folder / "at", whole = folder / "whole", other = folder / "other";
  const auto ddp = comm::ddp<ThreadRanks, 8192>;
  save_steps<Net>(zero<>, 3, 0, 2, 3, "", at, adam, bound);
  save_steps<Net>(ddp, 3, 0, 2, 3, "", other, adam, bound);
  CHECK(test_support::different_tensors(at, other) == "");
  // on as many ranks it is the run that did not stop
  save_steps<Net>(zero<>, 3, 0, 4, 3, "", whole, adam, bound);
  save_steps<Net>(zero<>, 3, 2, 4, 3, at, other, adam, bound);
  CHECK(test_support::different_tensors(whole, other) == "");
  save_steps<Net>(ddp, 3, 2, 4, 3, at, other, adam, bound);
  CHECK(test_support::different_tensors(whole, other) == "");
  // the mean of two or four equal gradients is theirs, on any number of ranks
  save_steps<Plain>(zero<>, 4, 0, 2, 1, "", at, adam, bound);
  save_steps<Plain>(zero<>, 1, 2, 4, 1, at, whole, adam, bound);
  save_steps<Plain>(zero<>, 2, 2, 4, 1, at, other, adam, bound);
  CHECK(test_support::different_tensors(whole, other) == "");
  save_steps<Plain>(comm::none, 1, 2, 4, 1, at, other, adam, bound);
  CHECK(test_support::different_tensors(whole, other) == "");
  save_steps<Plain>(zero<>, 4, 2, 4, 1, whole, at, adam, bound);
  CHECK(test_support::different_tensors(whole, at) != "");  // which sees what changes
}

TEST_CASE("zero: ranks gather the average of the weights") {
  const auto averaged = optim::ema(optim::AdamW{.lr = 1e-2f}, 0.9f);
  auto alone = trainer_of<Net>(seed{3}, accumulate<2>, averaged);
  run_calls(alone, 6, 0, 1);
  const auto want = alone.average();
  std::string different[2];
  run_ranks(2, [&](int r) {
    auto trainer = trainer_of<Net>(seed{3}, zero<>, averaged, check::finite);
    run_calls(trainer, 3, r, 2);
    different[r] = test_support::different_state(trainer.average(), want);
  });
  CHECK(different[0] == "");
  CHECK(different[1] == "");
}
