#include "weft/optim/check.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "support/device.hpp"
#include "support/error_of.hpp"
#include "weft/nn.hpp"
#include "weft/ops.hpp"
#include "weft/optim.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;
using testing::error_of;
using weft::testing::test_device;

namespace {

template <class O>
std::string refused(const O& o) {
  return error_of([&] { optim::AsGroups<O>::make(o).check(); });
}

}  // namespace

TEST_CASE("check: what torch.optim refuses") {
  const std::string bad = "optim/bad-argument";
  CHECK(refused(optim::AdamW{}) == "none");
  CHECK(refused(optim::AdamW{.lr = -1e-3f}) == bad);
  CHECK(refused(optim::AdamW{.lr = std::numeric_limits<f32>::quiet_NaN()}) == bad);
  CHECK(refused(optim::AdamW{.betas = {1.0f, 0.999f}}) == bad);
  CHECK(refused(optim::Adam{.betas = {0.9f, -0.1f}}) == bad);
  CHECK(refused(optim::Adam{.eps = -1.0f}) == bad);
  CHECK(refused(optim::AdamW{.weight_decay = -0.1f}) == bad);
  CHECK(refused(optim::amsgrad(optim::AdamW{.betas = {0.9f, 1.0f}})) == bad);
  CHECK(refused(optim::SGD{.lr = 0.1f, .momentum = 0.9f, .nesterov = true}) == "none");
  CHECK(refused(optim::SGD{.lr = 0.1f, .nesterov = true}) == bad);
  CHECK(refused(optim::SGD{.momentum = -0.5f}) == bad);
  CHECK(refused(optim::SGD{.momentum = 0.9f, .dampening = 0.1f, .nesterov = true}) == bad);
  CHECK(refused(optim::PlainSGD{.lr = -1.0f}) == bad);
  CHECK(refused(optim::RMSprop{.alpha = -0.1f}) == bad);
  CHECK(refused(optim::Adadelta{.rho = 1.5f}) == bad);
  CHECK(refused(optim::Adagrad{.lr_decay = -1.0f}) == bad);
  CHECK(refused(optim::NAdam{.momentum_decay = -1.0f}) == bad);
  CHECK(refused(optim::Rprop{.etas = {1.5f, 1.2f}}) == bad);
  CHECK(refused(optim::Rprop{.etas = {0.5f, 0.9f}}) == bad);
  CHECK(refused(optim::Adafactor{.d = 0.5f}) == bad);
  CHECK(refused(optim::Muon{.others = {.lr = -1.0f}}) == bad);
  CHECK(refused(optim::ema(optim::SGD{}, 1.5f)) == bad);
  CHECK(refused(optim::swa(optim::SGD{}, {.every = 0})) == bad);
  CHECK(refused(optim::swa(optim::SGD{}, {.start = 0})) == bad);
  CHECK(refused(optim::swa(optim::groups(optim::no_decay(is_bias), optim::SGD{}), {.start = -5})) == bad);
  CHECK(refused(optim::Adafactor{.beta2_decay = 0.8f}) == bad);
  CHECK(refused(optim::groups(optim::rule(is_bias, [](auto& o) { o.lr = -1.0f; }), optim::AdamW{})) == bad);
  CHECK(refused(optim::AdamW{.lr = schedule::cosine(-0.1, 10)}) == bad);
}

TEST_CASE("check: a trainer is not made of them") {
  const auto make = [](const auto&... options) {
    return make_trainer<nn::Linear<2, 1>>(
        test_device(), [](const auto& m, auto x) { return mean<>(square(m(x))); }, in<f32, 4, 2>, options...);
  };
  CHECK(error_of([&] { make(optim::AdamW{.lr = -1.0f}); }) == "optim/bad-argument");
  CHECK(error_of([&] { make(optim::AdamW{}, clip::norm(-1.0f)); }) == "train/clip");
  auto trainer = make(optim::AdamW{});
  CHECK(error_of([&] { trainer.set_lr(-0.5f); }) == "optim/bad-argument");
  CHECK(trainer.lr() == 1e-3f);
}
