#include "weft/optim/sgd.hpp"

#include "reference.hpp"

using namespace optim_test;

TEST_CASE("sgd: 20 steps agree with torch.optim.SGD, with every option") {
  compare("sgd", optim::SGD{.lr = 0.05f});
  compare("sgd_decay", optim::SGD{.lr = 0.05f, .weight_decay = 0.1f});
  compare("sgd_momentum", optim::SGD{.lr = 0.05f, .momentum = 0.9f});
  compare("sgd_all", optim::SGD{.lr = 0.05f, .momentum = 0.8f, .dampening = 0.3f, .weight_decay = 0.1f});
  // without momentum PyTorch dampens nothing
  compare("sgd_decay", optim::SGD{.lr = 0.05f, .dampening = 0.3f, .weight_decay = 0.1f});
}

TEST_CASE("sgd: Nesterov's momentum agrees with torch.optim.SGD") {
  compare("nesterov", optim::SGD{.lr = 0.05f, .momentum = 0.9f, .weight_decay = 0.1f, .nesterov = true});
}

TEST_CASE("sgd: PlainSGD is SGD without momentum") {
  compare("sgd", optim::PlainSGD{.lr = 0.05f});
  compare("sgd_decay", optim::PlainSGD{.lr = 0.05f, .weight_decay = 0.1f});
}
