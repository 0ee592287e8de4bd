#pragma once
// Trainers of ranks that share out what they have of the optimiser's state, and of the gradients, against one
// process: models, batches, and what is compared.

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

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
struct Batch {
  std::vector<f32> x;
  std::vector<i32> y;
};
// Batch number `call` of all.
inline Batch batch_of(i64 call) {
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
      const Batch b = batch_of(c * of + r % of);
      trainer.step(b.x, b.y);
    }
    trainer.save(to);
  });
}

}  // namespace test_zero
