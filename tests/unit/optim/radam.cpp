#include "weft/optim/radam.hpp"

#include "reference.hpp"

using namespace optim_test;

TEST_CASE("radam: 20 steps agree with torch.optim.RAdam") {
  compare("radam", optim::RAdam{.lr = 0.02f, .betas = {0.8f, 0.95f}, .weight_decay = 0.1f});
  compare("radamw", optim::RAdam{.lr = 0.02f, .weight_decay = 0.1f, .decoupled_weight_decay = true});
}
