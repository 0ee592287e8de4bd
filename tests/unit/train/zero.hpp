#pragma once
// Trainers of ranks that share out what they have of the optimiser's state, and of the gradients, against one
// process: models, batches, and what holds whichever of these are shared out (Stage: as of comm::zero).

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "support/labelled_batch.hpp"
#include "support/repository.hpp"
#include "support/same_state.hpp"
#include "support/thread_ranks.hpp"
#include "weft/train/ranks.hpp"
#include "weft/weft.hpp"

namespace test_zero {

using namespace weft;
using test_support::run_ranks;
using test_support::ThreadRanks;

inline constexpr i64 batch = 16, width = 64, classes = 10;

struct Net {  // 19,786 parameters, whose norm has two chunks
  nn::Linear<width, 129> fc1;
  nn::LayerNorm<129> norm;
  nn::Dropout drop{.p = 0.2f};
  nn::Linear<129, 77> fc2;
  nn::Linear<77, classes> head;
  constexpr auto operator()(auto x) const { return head(gelu(fc2(drop(norm(relu(fc1(x))))))); }
};
inline constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };

// Of a few KiB, so that there are several.
template <int Stage>
inline constexpr auto zero = comm::zero<Stage, ThreadRanks, 8192>;

template <class Model, class... O>
auto trainer_of(const O&... options) {
  return make_trainer<Model>(Cpu{1}, loss, in<f32, batch, width>, in<i32, batch>, options...);
}
// Batch number `call` of all.
inline test_support::LabelledBatch batch_of(i64 call) {
  return test_support::labelled_batch(call, batch, width, classes);
}
template <class T>
void run_calls(T& trainer, int calls, i64 rank, i64 of) {
  for (i64 c = 0; c < calls; ++c) {
    const auto b = batch_of(c * of + rank);
    trainer.step(b.x, b.y);
  }
}

// That n ranks end where one process does that gathers the gradients of n calls; of `Micro` n, where each
// rank gathers those of so many.
template <int Stage, int N, class Model = Net, int Micro = 1, class... O>
void same_as_one_process(const O&... options) {
  auto alone = trainer_of<Model>(seed{3}, accumulate<N * Micro>, options...);
  run_calls(alone, 3 * N * Micro, 0, 1);
  std::vector<std::string> different(N);
  run_ranks(N, [&](int r) {
    auto trainer = trainer_of<Model>(seed{3}, zero<Stage>, accumulate<Micro>, options...);
    run_calls(trainer, 3 * Micro, r, N);
    different[static_cast<std::size_t>(r)] = test_support::different_state(trainer.model(), alone.model());
    if constexpr ((std::is_same_v<O, clip::Norm> || ...))
      if (trainer.gradient_norm() != alone.gradient_norm()) different[static_cast<std::size_t>(r)] += " norm";
  });
  for (int r = 0; r < N; ++r) CHECK_MESSAGE(different[static_cast<std::size_t>(r)] == "", r);
}

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
// Of 12 layers, whose gradients are most of what a step has in memory.
struct Wide {
  std::array<nn::Linear<width, width>, 12> h;
  nn::Linear<width, classes> head;
  constexpr auto operator()(auto x) const {
    for (const auto& layer : h) x = relu(layer(x));
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
      const auto b = batch_of(c * of + r % of);
      trainer.step(b.x, b.y);
    }
    trainer.save(to);
  });
}

// Plain, with a norm of several chunks or a bound, on 1 to 4 ranks.
template <int Stage>
void same_bits() {
  same_as_one_process<Stage, 1>(optim::AdamW{.lr = 1e-2f}, clip::norm(0.5f));
  same_as_one_process<Stage, 2>(optim::SGD{.lr = 0.1f});
  same_as_one_process<Stage, 3>(optim::AdamW{.lr = 1e-2f});
  same_as_one_process<Stage, 4>(optim::AdamW{.lr = 1e-2f}, clip::norm(0.5f));
  same_as_one_process<Stage, 2>(optim::AdamW{.lr = 1e-2f}, clip::value(0.01f));
}

// Parameter groups, some of them frozen, in the middle and at the end.
template <int Stage>
void groups_are_updated() {
  constexpr auto is_norm = [](std::string_view name, const Dims&) { return name.starts_with("norm"); };
  constexpr auto is_head = [](std::string_view name, const Dims&) { return name.starts_with("head"); };
  same_as_one_process<Stage, 3>(optim::groups(optim::no_decay(optim::is_vector), optim::AdamW{.lr = 1e-2f}));
  same_as_one_process<Stage, 3>(optim::groups(optim::frozen(is_norm), optim::AdamW{.lr = 1e-2f}),
                                clip::norm(0.1f));
  same_as_one_process<Stage, 2>(optim::groups(optim::frozen(is_head), optim::AdamW{.lr = 1e-2f}),
                                clip::norm(0.1f));
}

// Products of bf16 and f16.
template <int Stage>
void precisions_agree() {
  same_as_one_process<Stage, 2>(optim::AdamW{.lr = 1e-2f}, precision::bf16);
  same_as_one_process<Stage, 3>(optim::AdamW{.lr = 1e-2f}, precision::f16);
  same_as_one_process<Stage, 2>(optim::AdamW{.lr = 1e-2f}, precision::f16, clip::norm(1.0f));
}

// A Stack, recomputed blocks, a skipped update.
template <int Stage>
void models_agree() {
  same_as_one_process<Stage, 2, Deep>(optim::AdamW{.lr = 1e-2f});
  same_as_one_process<Stage, 3, Recomputed>(optim::AdamW{.lr = 1e-2f}, checkpoint::blocks);
  same_as_one_process<Stage, 3, Overflowing>(optim::AdamW{.lr = 1e-2f}, precision::f16);
}

// Fewer parameters than the ranks share out.
template <int Stage>
void small_models_agree() {
  same_as_one_process<Stage, 4, Tiny>(optim::AdamW{.lr = 1e-2f});
  same_as_one_process<Stage, 3, Tiny>(optim::AdamW{.lr = 1e-2f}, clip::norm(0.1f));
}

// A checkpoint is whole, and any number of ranks goes on from it, however sharded.
template <int Stage>
void files_are_whole() {
  const ScratchFolder folder;
  const auto adam = optim::AdamW{.lr = 1e-2f};
  const auto bound = clip::norm(0.5f);
  const std::string at = folder / "at", whole = folder / "whole", other = folder / "other";
  const auto ddp = comm::ddp<ThreadRanks, 8192>;
  save_steps<Net>(zero<Stage>, 3, 0, 2, 3, "", at, adam, bound);
  save_steps<Net>(ddp, 3, 0, 2, 3, "", other, adam, bound);
  CHECK(test_support::different_tensors(at, other) == "");
  // on as many ranks it is the run that did not stop
  save_steps<Net>(zero<Stage>, 3, 0, 4, 3, "", whole, adam, bound);
  save_steps<Net>(zero<Stage>, 3, 2, 4, 3, at, other, adam, bound);
  CHECK(test_support::different_tensors(whole, other) == "");
  save_steps<Net>(ddp, 3, 2, 4, 3, at, other, adam, bound);
  CHECK(test_support::different_tensors(whole, other) == "");
  // the mean of two or four equal gradients is theirs, on any number of ranks
  save_steps<Plain>(zero<Stage>, 4, 0, 2, 1, "", at, adam, bound);
  save_steps<Plain>(zero<Stage>, 1, 2, 4, 1, at, whole, adam, bound);
  save_steps<Plain>(zero<Stage>, 2, 2, 4, 1, at, other, adam, bound);
  CHECK(test_support::different_tensors(whole, other) == "");
  save_steps<Plain>(comm::none, 1, 2, 4, 1, at, other, adam, bound);
  CHECK(test_support::different_tensors(whole, other) == "");
  save_steps<Plain>(zero<Stage>, 4, 2, 4, 1, whole, at, adam, bound);
  CHECK(test_support::different_tensors(whole, at) != "");  // which sees what changes
}

// Ranks gather the average of the weights; a look at every kernel's results reads a rank's piece alone.
template <int Stage>
void averages_are_gathered() {
  const auto averaged = optim::ema(optim::AdamW{.lr = 1e-2f}, 0.9f);
  auto alone = trainer_of<Net>(seed{3}, accumulate<2>, averaged, clip::norm(0.5f));
  run_calls(alone, 6, 0, 1);
  const auto want = alone.average();
  std::string different[2];
  run_ranks(2, [&](int r) {
    auto trainer = trainer_of<Net>(seed{3}, zero<Stage>, averaged, clip::norm(0.5f), check::finite);
    run_calls(trainer, 3, r, 2);
    different[r] = test_support::different_state(trainer.average(), want);
  });
  CHECK(different[0] == "");
  CHECK(different[1] == "");
}

}  // namespace test_zero
