#include "weft/optim/adadelta.hpp"

#include "reference.hpp"

using namespace optim_test;

TEST_CASE("adadelta: 20 steps agree with torch.optim.Adadelta") {
  compare("adadelta", optim::Adadelta{.lr = 0.7f, .rho = 0.8f, .eps = 1e-3f, .weight_decay = 0.1f});
}
