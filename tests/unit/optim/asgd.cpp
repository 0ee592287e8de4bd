#include "weft/optim/asgd.hpp"

#include "reference.hpp"

using namespace optim_test;

TEST_CASE("asgd: 20 steps agree with torch.optim.ASGD, averages too") {
  compare("asgd", optim::ASGD{.lr = 0.05f});
  auto trainer = compare(
      "asgd_all", optim::ASGD{.lr = 0.1f, .lambd = 0.05f, .alpha = 0.6f, .t0 = 6, .weight_decay = 0.1f});
  auto averaged = trainer.average();
  check_close(averaged.get<"fc.weight">(), values("asgd_all.average.weight"), "average.weight");
  check_close(averaged.get<"fc.bias">(), values("asgd_all.average.bias"), "average.bias");
}
