#include "weft/optim/rprop.hpp"

#include "reference.hpp"

using namespace optim_test;

TEST_CASE("rprop: 20 steps agree with torch.optim.Rprop") {
  compare("rprop", optim::Rprop{.lr = 0.01f});
  compare("rprop_all", optim::Rprop{.lr = 0.05f, .etas = {0.4f, 1.5f}, .step_sizes = {1e-3f, 0.1f}});
}
