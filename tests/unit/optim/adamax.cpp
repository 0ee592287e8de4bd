#include "weft/optim/adamax.hpp"

#include "reference.hpp"

using namespace optim_test;

TEST_CASE("adamax: 20 steps agree with torch.optim.Adamax") {
  compare("adamax", optim::Adamax{.lr = 0.02f, .betas = {0.8f, 0.9f}, .eps = 1e-4f, .weight_decay = 0.1f});
}
