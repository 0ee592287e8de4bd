// Trainers of models whose parameters are doubles, beside PyTorch's (tests/parity/generate_f64.py).
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "../io/scratch.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/ops/nn/norm.hpp"
#include "weft/optim/adafactor.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;

namespace {

template <i64 N>
struct Norm {
  nn::Param<f64, Shape<N>, nn::init::Ones> weight{};
  nn::Param<f64, Shape<N>, nn::init::Zeros> bias{};
  constexpr auto operator()(auto x) const { return layer_norm(x, weight, bias); }
};
struct Net {
  nn::Linear<5, 6, true, f64> fc1{};
  Norm<6> norm{};
  nn::Linear<6, 3, true, f64> fc2{};
  constexpr auto operator()(auto x) const { return fc2(gelu(norm(fc1(x)))); }
};
constexpr auto objective = [](const auto& m, auto x, auto target) { return mse_loss(m(x), target); };

const io::Safetensors& reference() {
  static const io::Safetensors file(repository_file("tests/parity/nn/f64_training.safetensors"));
  return file;
}
std::vector<f64> values(const std::string& name) {
  const io::SafetensorsEntry& entry = reference().at(name);
  const auto* data = reinterpret_cast<const f64*>(entry.data);
  return {data, data + entry.bytes / sizeof(f64)};
}

// f(view, name) of every parameter.
template <class T, class F>
void each_parameter(T& trainer, const F& f) {
  auto& m = trainer.model();
  f(m.template get<"fc1.weight">(), std::string("fc1.weight"));
  f(m.template get<"fc1.bias">(), std::string("fc1.bias"));
  f(m.template get<"norm.weight">(), std::string("norm.weight"));
  f(m.template get<"norm.bias">(), std::string("norm.bias"));
  f(m.template get<"fc2.weight">(), std::string("fc2.weight"));
  f(m.template get<"fc2.bias">(), std::string("fc2.bias"));
}

template <class T>
void start(T& trainer) {
  each_parameter(trainer, [](auto view, const std::string& name) {
    const std::vector<f64> wanted = values("start." + name);
    for (std::size_t i = 0; i < wanted.size(); ++i) view[static_cast<i64>(i)] = wanted[i];
  });
}

template <class T>
void compare(T& trainer, const std::string& run) {
  each_parameter(trainer, [&](const auto& view, const std::string& name) {
    const std::vector<f64> wanted = values(run + "." + name);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      CAPTURE(run + "." + name);
      CHECK(std::abs(view[static_cast<i64>(i)] - wanted[i]) <= 1e-12 + 1e-11 * std::abs(wanted[i]));
    }
  });
}

template <class... O>
auto make(O... options) {
  auto trainer = make_trainer<Net>(Cpu{1}, objective, in<f64, 8, 5>, in<f64, 8, 3>, options...);
  start(trainer);
  return trainer;
}

}  // namespace

TEST_CASE("f64: AdamW with a clipped norm agrees with PyTorch to the rounding of doubles") {
  auto trainer =
      make(optim::AdamW{.lr = 0x1p-6f, .betas = {0.875f, 0.9375f}, .eps = 0x1p-20f, .weight_decay = 0x1p-5f},
           clip::norm(0.5f));
  for (int step = 0; step < 10; ++step) trainer.step(values("x"), values("target"));
  compare(trainer, "adamw");
}

TEST_CASE("f64: accumulated gradients and momentum agree with PyTorch") {
  auto trainer = make(optim::SGD{.lr = 0x1p-4f, .momentum = 0.75f, .weight_decay = 0x1p-7f, .nesterov = true},
                      accumulate<2>);
  const std::vector<f64> x = values("x"), target = values("target"), none(target.size(), 0.0);
  for (int step = 0; step < 10; ++step) {
    trainer.step(x, target);
    trainer.step(x, none);
  }
  compare(trainer, "sgd");
}

TEST_CASE("f64: an optimiser whose state is rows and columns agrees with PyTorch") {
  auto trainer = make(optim::Adafactor{
      .lr = 0x1p-4f, .beta2_decay = -0.5f, .eps = {0x1p-20f, 0x1p-10f}, .d = 1, .weight_decay = 0.25f});
  for (int step = 0; step < 10; ++step) trainer.step(values("x"), values("target"));
  compare(trainer, "adafactor");
}

TEST_CASE("f64: a checkpoint holds doubles, and a run resumed from it gives the same bits") {
  const ScratchFolder folder;
  const auto train = [](auto& trainer, int steps) {
    for (int step = 0; step < steps; ++step) trainer.step(values("x"), values("target"));
  };
  const optim::Adam adam{.lr = 0.01f};
  auto whole = make(adam);
  train(whole, 6);
  whole.save(folder / "run.safetensors");
  CHECK(io::Safetensors(folder / "run.safetensors").at("optimizer.0.fc1.weight").dtype == DType::f64);
  train(whole, 5);
  auto resumed = make(adam);
  resumed.load(folder / "run.safetensors");
  train(resumed, 5);
  CHECK(resumed.model().get<"fc1.weight">().to_vector() == whole.model().get<"fc1.weight">().to_vector());
}
