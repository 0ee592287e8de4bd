#include "weft/optim/maximize.hpp"

#include <type_traits>

#include "reference.hpp"
#include "weft/optim/average.hpp"

using namespace optim_test;

TEST_CASE("maximize: 20 steps agree with maximize=True") {
  compare("sgd_maximize", optim::maximize(optim::SGD{.lr = 0.01f, .momentum = 0.5f, .weight_decay = 0.1f}));
  compare("adamw_maximize",
          optim::groups(optim::no_decay([](std::string_view, const Dims&) { return false; }),
                        optim::maximize(optim::AdamW{.lr = 0.01f})));
}

TEST_CASE("maximize: wrappers nest in any order, and around groups") {
  constexpr auto none = [](std::string_view, const Dims&) { return false; };
  const optim::AdamW adam{.lr = 0.01f};
  const auto rule = optim::no_decay(none);
  compare("adamw_maximize", optim::maximize(optim::groups(rule, adam)));
  compare("adamw_maximize", optim::groups(rule, optim::groups(rule, optim::maximize(adam))));
  auto averaged = compare("adamw_maximize", optim::ema(optim::maximize(optim::groups(rule, adam)), 0.5f));
  CHECK(averaged.average().template get<"fc.bias">()[0] != averaged.model().template get<"fc.bias">()[0]);
  const auto around = optim::maximize(optim::amsgrad(adam));
  static_assert(std::is_same_v<const decltype(optim::amsgrad(optim::maximize(adam))), decltype(around)>);
  const auto inner = optim::amsgrad(optim::ema(optim::groups(rule, adam), 0.75f));
  const auto outer = optim::groups(rule, optim::ema(optim::amsgrad(adam), 0.75f));
  static_assert(std::is_same_v<decltype(inner), decltype(outer)>);
  CHECK(inner.optimizer.rule.decay == 0.75f);
  CHECK(optim::swa(optim::groups(rule, adam), {.start = 5}).optimizer.rule.start == 5);
  // six vectors of state
  auto most = compare("adamw_maximize",
                      optim::swa(optim::ema(optim::ema(optim::ema(optim::maximize(adam), 0.5f), 0.7f), 0.9f),
                                 {.start = 2, .every = 3}));
  CHECK(most.average().template get<"fc.bias">()[0] != most.model().template get<"fc.bias">()[0]);
}
