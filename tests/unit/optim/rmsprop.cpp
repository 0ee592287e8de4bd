#include "weft/optim/rmsprop.hpp"

#include "reference.hpp"

using namespace optim_test;

TEST_CASE("rmsprop: 20 steps agree with torch.optim.RMSprop") {
  compare("rmsprop", optim::RMSprop{.lr = 0.01f});
  compare("rmsprop_all",
          optim::RMSprop{.lr = 0.01f, .alpha = 0.9f, .eps = 1e-3f, .weight_decay = 0.1f, .momentum = 0.7f});
}

TEST_CASE("rmsprop: centred") {
  compare("rmsprop_centered", optim::RMSpropCentered{.lr = 0.01f, .alpha = 0.9f, .momentum = 0.5f});
  compare("rmsprop_centered_all",
          optim::RMSpropCentered{
              .lr = 0.01f, .alpha = 0.9f, .eps = 1e-3f, .weight_decay = 0.1f, .momentum = 0.5f});
}
