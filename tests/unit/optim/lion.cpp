#include "weft/optim/lion.hpp"

#include "reference.hpp"

using namespace optim_test;

TEST_CASE("lion: 20 steps agree with the paper's algorithm") {
  compare("lion", optim::Lion{.lr = 0.01f, .weight_decay = 0.1f});
}
