// Training in f16 and bf16: the loss scale and the size of the rounding.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "../io/scratch.hpp"
#include "checkpoint.hpp"
#include "mlp.hpp"
#include "support/device.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/optim.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;
using checkpoint_test::edit;
using checkpoint_test::scalar;
using train_test::Mlp;
using weft::testing::test_device;

namespace {

struct Small {
  nn::Linear<4, 2> fc{};
};
struct Alone {
  nn::Param<f32, Shape<4>> p{};
};

float saved_scale(const std::string& path) {
  return *reinterpret_cast<const float*>(io::Safetensors(path).at("weft.scale").data);
}
i32 saved_number(const std::string& path, const char* name) {
  return *reinterpret_cast<const i32*>(io::Safetensors(path).at(name).data);
}

}  // namespace

TEST_CASE(
    "precision: f16 halves the loss scale and skips the update when a gradient overflows, and doubles it "
    "after 2,000") {
  const ScratchFolder folder;
  const std::string path = folder / "f16.safetensors";
  // the output's gradient is the loss scale itself: 65536 is infinite in f16, 32768 is not
  auto trainer = make_trainer<Small>(
      Cpu{1}, [](const auto& m, auto x) { return sum<>(m.fc(x)); }, in<f32, 3, 4>, optim::Adam{.lr = 1e-3f},
      precision::f16);
  const std::vector<float> x{1, 2, 3, 4, -1, 0.5f, 0.25f, 2, 1, 1, 1, 1};
  const auto start = trainer.model().get<"fc.weight">().to_vector();
  const float first = trainer.step(x);
  CHECK(std::isfinite(first));
  CHECK(trainer.model().get<"fc.weight">().to_vector() == start);
  trainer.save(path);
  CHECK(saved_scale(path) == 32768);
  CHECK(saved_number(path, "weft.updates") == 0);
  const io::Safetensors skipped(path);
  for (const char* name : {"optimizer.0.fc.weight", "optimizer.1.fc.bias"})
    for (std::size_t i = 0; i < skipped.at(name).bytes / 4; ++i)
      CHECK(reinterpret_cast<const float*>(skipped.at(name).data)[i] == 0);

  trainer.step(x);
  // the first applied update of Adam moves every weight by lr against the sign of its gradient, the column
  // sum of x
  const auto moved = trainer.model().get<"fc.weight">().to_vector();
  for (std::size_t i = 0; i < 8; ++i) CHECK(moved[i] - start[i] == doctest::Approx(-1e-3).epsilon(1e-3));
  for (int step = 1; step < 1999; ++step) trainer.step(x);
  trainer.save(path);
  CHECK(saved_scale(path) == 32768);
  CHECK(saved_number(path, "weft.good") == 1999);
  trainer.step(x);
  trainer.save(path);
  CHECK(saved_scale(path) == 65536);
  CHECK(saved_number(path, "weft.good") == 0);
  CHECK(saved_number(path, "weft.updates") == 2000);
  trainer.step(x);
  trainer.save(path);
  CHECK(saved_scale(path) == 32768);
  CHECK(saved_number(path, "weft.updates") == 2000);
}

TEST_CASE("precision: f16 trains on after any number of batches that are not finite, or without gradients") {
  const ScratchFolder folder;
  const std::string path = folder / "f16.safetensors";
  auto trainer = make_trainer<Alone>(
      Cpu{1}, [](const auto& m, auto w) { return sum<>(m.p * w) + sum<>(m.p * w); }, in<f32, 4>,
      optim::PlainSGD{.lr = 0.01f}, precision::f16);
  const auto weights = [&] { return trainer.model().get<"p">().to_vector(); };
  const auto start = weights();
  const auto at = [&](float scale, i32 good) {
    trainer.save(path);
    edit(path, path, {.tensors = {scalar("weft.scale", scale), scalar("weft.good", good)}});
    trainer.load(path);
  };
  const auto scale_after = [&](float w) {
    trainer.step(std::vector<float>(4, w));
    trainer.save(path);
    return saved_scale(path);
  };
  using train::LossScale;
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  // 144 halvings would make a scale that has no inverse
  for (int i = 0; i < 144; ++i) trainer.step(std::vector<float>(4, i % 2 ? nan : infinity));
  CHECK(weights() == start);
  CHECK(scale_after(nan) == LossScale::least);
  // what counts is the gradient itself: scaled down, twice 3e38 is finite
  CHECK(scale_after(3e38f) == LossScale::least);
  CHECK(weights() == start);
  trainer.step(std::vector<float>(4, 0.5f));
  for (std::size_t i = 0; i < 4; ++i) CHECK(weights()[i] == doctest::Approx(start[i] - 0.01f));
  // below one it grows after 20 good updates, so that few are needed to be back
  CHECK(saved_number(path, "weft.good") == 0);
  int steps = 0;
  while (scale_after(0.5f) < 1 && steps < 1000) ++steps;
  CHECK(steps == 20 * 16 - 2);
  CHECK(saved_number(path, "weft.good") == 0);
  at(2, 1998);
  CHECK(scale_after(0) == 2);
  CHECK(scale_after(0) == 4);
  // and it ends to grow where its square would still be finite
  at(LossScale::most / 2, 1999);
  CHECK(scale_after(0) == LossScale::most);
  at(LossScale::most, 1999);
  CHECK(scale_after(0) == LossScale::most);
  CHECK(saved_number(path, "weft.good") == 0);
  const auto before = weights();
  trainer.step(std::vector<float>(4, 0.5f));
  for (std::size_t i = 0; i < 4; ++i) CHECK(weights()[i] == doctest::Approx(before[i] - 0.01f));
}

namespace {

// Whether skipped updates before the first change any bit of those behind them.
template <class Optimizer>
void check_skips_count_nothing(Optimizer optimizer) {
  const auto make = [&] {
    return make_trainer<Mlp>(
        test_device(), [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 16, 6>,
        in<f32, 16, 4>, optimizer, precision::f16, seed{3});
  };
  auto skipping = make(), plain = make();
  std::vector<float> x(16 * 6), y(16 * 4, 0.5f);
  for (int k = 0; k < 3; ++k)
    skipping.step(std::vector<float>(16 * 6, std::numeric_limits<float>::infinity()), y);
  for (int step = 0; step < 8; ++step) {
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = std::sin(static_cast<float>(i + 7 * static_cast<std::size_t>(step)));
    skipping.step(x, y);
    plain.step(x, y);
    CAPTURE(step);
    CHECK(skipping.model().template get<"fc1.weight">().to_vector() ==
          plain.model().template get<"fc1.weight">().to_vector());
  }
}

}  // namespace

TEST_CASE("precision: what an optimiser makes of its count of updates, skipped ones are not of") {
  using namespace optim;
  check_skips_count_nothing(AdamW{.lr = 1e-2f});
  check_skips_count_nothing(amsgrad(Adam{.lr = 1e-2f}));
  check_skips_count_nothing(NAdam{.lr = 1e-2f});
  check_skips_count_nothing(RAdam{.lr = 1e-2f});
  check_skips_count_nothing(Adamax{.lr = 1e-2f});
  check_skips_count_nothing(Adagrad{.lr = 1e-2f, .lr_decay = 0.3f});
  check_skips_count_nothing(ASGD{.lr = 1e-2f, .lambd = 0.1f, .t0 = 2});
  check_skips_count_nothing(Adafactor{});
  check_skips_count_nothing(SGD{.lr = 1e-2f, .momentum = 0.9f, .dampening = 0.5f});
  check_skips_count_nothing(Rprop{.lr = 1e-2f});
  check_skips_count_nothing(swa(SGD{.lr = 1e-2f}, {.start = 2, .every = 2}));
}

TEST_CASE("precision: bf16 and f16 products follow the f32 run within their rounding") {
  const auto loss = [](const auto& m, auto x, auto label) { return cross_entropy(m(x), label); };
  const auto run = [&](auto precision) {
    auto trainer = make_trainer<Mlp>(Cpu{1}, loss, in<f32, 12, 6>, in<i32, 12>, optim::PlainSGD{.lr = 0.05f},
                                     precision, seed{9});
    const io::Safetensors file(repository_file("tests/parity/nn/training.safetensors"));
    std::vector<float> losses;
    for (int step = 0; step < 10; ++step)
      losses.push_back(trainer.step(reinterpret_cast<const float*>(file.at("x").data),
                                    reinterpret_cast<const i32*>(file.at("labels").data)));
    return losses;
  };
  const auto exact = run(precision::f32), bf16 = run(precision::bf16), f16 = run(precision::f16);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    CHECK(std::abs(bf16[i] - exact[i]) <= 1.6e-2 * exact[i]);
    CHECK(std::abs(f16[i] - exact[i]) <= 2e-3 * exact[i]);
  }
  CHECK(bf16 != exact);
  CHECK(f16 != exact);
  CHECK(exact.back() < exact.front());
}
