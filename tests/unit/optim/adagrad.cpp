#include "weft/optim/adagrad.hpp"

#include "reference.hpp"

using namespace optim_test;

TEST_CASE("adagrad: 20 steps agree with torch.optim.Adagrad") {
  compare("adagrad", optim::Adagrad{.lr = 0.1f});
  compare("adagrad_all", optim::Adagrad{.lr = 0.1f, .lr_decay = 0.1f, .weight_decay = 0.1f, .eps = 1e-4f});
  compare("adagrad_start", optim::Adagrad{.lr = 0.1f, .lr_decay = 0.05f, .initial_accumulator_value = 0.3f});
}
