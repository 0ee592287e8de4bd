// Trainers whose state is more than two moments of every parameter: a run that is saved and continued by a
// new trainer ends with the same bits as the one that was not interrupted.

#include <doctest/doctest.h>

#include "../io/scratch.hpp"
#include "support/error_of.hpp"
#include "weft/data/dataset.hpp"
#include "weft/data/loader.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/optim/average.hpp"
#include "weft/optim/muon.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;

namespace {

// A tall matrix, a wide one, and their biases.
struct Net {
  nn::Linear<5, 8> fc1{};
  nn::Linear<8, 3> fc2{};
  constexpr auto operator()(auto x) const { return fc2(tanh(fc1(x))); }
};

template <class... O>
auto make(const O&... options) {
  return make_trainer<Net>(
      Cpu{1}, [](const auto& m, auto x, auto target) { return mse_loss(m(x), target); }, in<f32, 8, 5>,
      in<f32, 8, 3>, options...);
}

// Step `call` sees numbers of its own, so that a step done twice or left out shows.
template <class Trainer>
std::vector<float> advance(Trainer& trainer, int from, int to) {
  std::vector<float> losses;
  for (int call = from; call < to; ++call) {
    float x[40], target[24];
    for (int k = 0; k < 40; ++k) x[k] = static_cast<float>((k * 7 + call * 11) % 13) / 6.0f - 1.0f;
    for (int k = 0; k < 24; ++k) target[k] = static_cast<float>((k * 5 + call * 3) % 11) / 5.0f - 1.0f;
    losses.push_back(trainer.step(&x[0], &target[0]));
  }
  return losses;
}

template <class Model>
std::vector<std::byte> bytes_of(const Model& model) {
  return {model.state(), model.state() + model.state_bytes()};
}

template <class... O>
void check_resume(int at, const O&... options) {
  constexpr int end = 20;
  const ScratchFolder folder;
  auto whole = make(options..., seed{21});
  const auto start = bytes_of(whole.model());
  advance(whole, 0, at);
  whole.save(folder / "checkpoint");
  auto resumed = make(options..., seed{99});
  resumed.load(folder / "checkpoint");
  CHECK(resumed.steps() == at);
  CHECK(advance(resumed, at, end) == advance(whole, at, end));
  CHECK(bytes_of(whole.model()) != start);
  CHECK(bytes_of(resumed.model()) == bytes_of(whole.model()));
  if constexpr (decltype(whole)::keeps_average) {
    CHECK(bytes_of(resumed.average()) == bytes_of(whole.average()));
    CHECK(bytes_of(whole.average()) != bytes_of(whole.model()));
  }
  whole.save(folder / "a");
  resumed.save(folder / "b");
  CHECK(io::read_file(folder / "a") == io::read_file(folder / "b"));
}

}  // namespace

TEST_CASE("resume: Muon, whose rate follows a schedule and whose biases AdamW updates") {
  check_resume(7, optim::Muon{.lr = schedule::warmup_cosine(0.02f, 3, 20), .others = {.lr = 0.01f}},
               clip::norm(1.0f));
}
TEST_CASE("resume: an exponential average, between the calls of accumulate<2> with the scale of f16") {
  check_resume(7, optim::ema(optim::AdamW{.lr = 0.02f}, 0.8f), precision::f16, accumulate<2>);
}
TEST_CASE("resume: an equal average, before its first update and between two of them") {
  const auto average = optim::swa(optim::SGD{.lr = 0.05f, .momentum = 0.9f}, {.start = 6, .every = 4});
  check_resume(3, average);
  check_resume(12, average);
}
TEST_CASE("resume: an average of what Muon updates") {
  check_resume(9, optim::ema(optim::Muon{.lr = 0.02f, .others = {.lr = 0.01f}}, 0.9f));
}
TEST_CASE("resume: a loader that was given no seed goes on in the orders of the one that was saved") {
  const ScratchFolder folder;
  std::vector<f32> numbers(40 * 5), targets(40 * 3);
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<f32>(k % 17) / 9.0f - 1.0f;
  for (std::size_t k = 0; k < targets.size(); ++k) targets[k] = static_cast<f32>(k % 11) / 6.0f - 1.0f;
  const data::Arrays<f32, f32> samples({numbers, {5}}, {targets, {3}});
  auto whole = make(optim::AdamW{.lr = 0.02f});
  auto loader = data::loader<8>(samples, {.shuffle = true});
  for (auto& [x, y] : loader) whole.step(x, y);
  int batch = 0;
  for (auto& [x, y] : loader) {
    if (batch++ == 3) break;
    whole.step(x, y);
  }
  whole.save(folder / "checkpoint", loader);
  const auto finish = [&](auto& trainer, auto& batches) {
    for (int epoch = 0; epoch < 2; ++epoch)
      for (auto& [x, y] : batches) trainer.step(x, y);
  };
  auto resumed = make(optim::AdamW{.lr = 0.02f});
  auto other = data::loader<8>(samples, {.shuffle = true});
  CHECK(other.seed() != loader.seed());
  resumed.load(folder / "checkpoint", other);
  CHECK(other.seed() == loader.seed());
  auto same = data::loader<8>(samples, {.shuffle = true, .seed = loader.seed()});
  same.seek(loader.position());
  finish(whole, same);
  finish(resumed, other);
  CHECK(bytes_of(resumed.model()) == bytes_of(whole.model()));
  auto given = data::loader<8>(samples, {.shuffle = true, .seed = 5});
  const auto before = bytes_of(resumed.model());
  CHECK(testing::error_of([&] { resumed.load(folder / "checkpoint", given); }) == "loader/seed");
  CHECK(bytes_of(resumed.model()) == before);
  CHECK(given.position().batch == 0);
}

TEST_CASE("resume: losses that are held over a load stay those of their steps") {
  const ScratchFolder folder;
  auto trainer = make(optim::SGD{.lr = 0.05f}, seed{3});
  float x[40], target[24];
  for (int k = 0; k < 40; ++k) x[k] = static_cast<float>(k % 13) / 6.0f - 1.0f;
  for (int k = 0; k < 24; ++k) target[k] = static_cast<float>(k % 11) / 5.0f - 1.0f;
  trainer.step(&x[0], &target[0]);
  trainer.save(folder / "c");
  const StepLoss second = trainer.step(&x[0], &target[0]), third = trainer.step(&x[0], &target[0]);
  const float of_second = second, of_third = third;
  x[0] += 1;  // the run goes another way
  trainer.load(folder / "c");
  const StepLoss anew = trainer.step(&x[0], &target[0]);
  CHECK(trainer.steps() == 2);
  CHECK(anew.value() != of_second);
  CHECK(second.value() == of_second);
  CHECK(third.value() == of_third);
}
