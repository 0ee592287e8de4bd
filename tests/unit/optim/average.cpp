#include "weft/optim/average.hpp"

#include "reference.hpp"

using namespace optim_test;

namespace {

template <class Trainer>
void check_average(Trainer trainer, const std::string& name) {
  auto averaged = trainer.average();
  check_close(averaged.template get<"fc.weight">(), values(name + ".average.weight"), name + ".weight");
  check_close(averaged.template get<"fc.bias">(), values(name + ".average.bias"), name + ".bias");
  // the trained model is another
  check_close(trainer.model().template get<"fc.weight">(), values(name + ".weight"), name + ".weight");
}

}  // namespace

TEST_CASE("average: exponential and equal averages agree with torch.optim.swa_utils") {
  check_average(compare("ema", optim::ema(optim::AdamW{.lr = 0.02f}, {.decay = 0.8f})), "ema");
  check_average(compare("swa", optim::swa(optim::SGD{.lr = 0.05f}, {.start = 4, .every = 3})), "swa");
}

TEST_CASE("average: none of updates that were skipped") {
  auto trainer = make_trainer<optim_test::Model>(
      test_device(), [](const auto& m, auto x, auto target) { return mse_loss(m(x), target); }, in<f32, 8, 5>,
      in<f32, 8, 3>, optim::ema(optim::SGD{.lr = 0.05f}, {.decay = 0.9f}), precision::f16);
  trainer.step(std::vector<f32>(40, 1e6f), values("target"));
  CHECK_THROWS_WITH(trainer.average(), doctest::Contains("train/no-average"));
}

TEST_CASE("average: none before the first update that is averaged") {
  auto trainer = make_trainer<optim_test::Model>(
      test_device(), [](const auto& m, auto x, auto target) { return mse_loss(m(x), target); }, in<f32, 8, 5>,
      in<f32, 8, 3>, optim::swa(optim::SGD{.lr = 0.05f}, {.start = 4, .every = 3}));
  for (int step = 0; step < 3; ++step) trainer.step(values("x"), values("target"));
  CHECK_THROWS_WITH(trainer.average(), doctest::Contains("train/no-average"));
  trainer.step(values("x"), values("target"));
  // the first average is the weights themselves
  const auto first = trainer.average().get<"fc.weight">().to_vector();
  CHECK(first == trainer.model().get<"fc.weight">().to_vector());
  trainer.step(values("x"), values("target"));
  CHECK(trainer.average().get<"fc.weight">().to_vector() == first);
}
