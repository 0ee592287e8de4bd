#include "weft/optim/maximize.hpp"

#include "reference.hpp"

using namespace optim_test;

TEST_CASE("maximize: 20 steps agree with maximize=True") {
  compare("sgd_maximize", optim::maximize(optim::SGD{.lr = 0.01f, .momentum = 0.5f, .weight_decay = 0.1f}));
  compare("adamw_maximize",
          optim::groups(optim::no_decay([](std::string_view, const Dims&) { return false; }),
                        optim::maximize(optim::AdamW{.lr = 0.01f})));
}
