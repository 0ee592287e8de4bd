#include "weft/optim/nadam.hpp"

#include "reference.hpp"

using namespace optim_test;

TEST_CASE("nadam: 20 steps agree with torch.optim.NAdam") {
  compare(
      "nadam",
      optim::NAdam{
          .lr = 0.02f, .betas = {0.8f, 0.95f}, .eps = 1e-3f, .weight_decay = 0.1f, .momentum_decay = 0.01f});
  compare("nadamw", optim::NAdam{.lr = 0.02f, .weight_decay = 0.1f, .decoupled_weight_decay = true});
}

TEST_CASE("nadam: the numbers of a late step need no product of all steps before") {
  f32 numbers[optim::NAdam::numbers];
  optim::NAdam{}.fill(1'000'000'000, numbers);
  CHECK(numbers[6] == doctest::Approx(0.002 * (1 - 0.9)));
}
