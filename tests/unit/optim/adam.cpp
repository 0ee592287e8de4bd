#include "weft/optim/adam.hpp"

#include "reference.hpp"

using namespace optim_test;

TEST_CASE("adam: 20 steps agree with torch.optim.Adam") {
  compare("adam", optim::Adam{.lr = 0.02f});
  compare("adam_all", optim::Adam{.lr = 0.02f, .betas = {0.8f, 0.95f}, .eps = 1e-3f, .weight_decay = 0.1f});
}

TEST_CASE("adam: 20 steps agree with torch.optim.AdamW") {
  compare("adamw", optim::AdamW{.lr = 0.02f});
  compare("adamw_all", optim::AdamW{.lr = 0.02f, .betas = {0.8f, 0.95f}, .eps = 1e-3f, .weight_decay = 0.5f});
}

TEST_CASE("adam: amsgrad agrees with amsgrad=True") {
  compare("adam_amsgrad", optim::amsgrad(optim::Adam{.lr = 0.05f, .betas = {0.5f, 0.6f}}));
  compare("adamw_amsgrad",
          optim::amsgrad(optim::AdamW{.lr = 0.05f, .betas = {0.5f, 0.6f}, .weight_decay = 0.3f}));
}
