#include "weft/optim/adafactor.hpp"

#include <cstdio>

#include "reference.hpp"
#include "weft/nn/conv.hpp"
#include "weft/optim/average.hpp"
#include "weft/optim/maximize.hpp"

using namespace optim_test;

namespace {

constexpr optim::Adafactor settings{
    .lr = 0.2f, .beta2_decay = -0.6f, .eps = {1e-2f, 0.4f}, .d = 1.3f, .weight_decay = 0.3f};

constexpr auto loss = [](const auto& m, auto x, auto target) { return mse_loss(m(x), target); };
template <class... Option>
auto start(const Option&... options) {
  return make_trainer<optim_test::Model>(test_device(), loss, in<f32, 8, 5>, in<f32, 8, 3>, options...);
}

struct Wide {
  nn::Linear<512, 256> fc{};
  constexpr auto operator()(auto x) const { return fc(x); }
};
struct Convolution {
  nn::Conv1d<2, 3, 3> conv{};
  constexpr auto operator()(auto x) const { return mean<-1>(conv(x)); }  // (4, 2, 5) -> (4, 3)
};

}  // namespace

TEST_CASE("adafactor: 20 steps agree with torch.optim.Adafactor") {
  compare("adafactor", optim::Adafactor{.lr = 0.05f});
  compare("adafactor_all", settings);
  // a rule's group has numbers of its own
  const auto nothing = [](std::string_view, const Dims&) { return false; };
  compare("adafactor_all", optim::groups(optim::no_decay(nothing), settings));
}

TEST_CASE("adafactor: a parameter of three axes keeps rows and columns of each matrix") {
  auto trainer = make_trainer<Convolution>(test_device(), loss, in<f32, 4, 2, 5>, in<f32, 4, 3>,
                                           optim::Adafactor{.lr = 0.05f, .weight_decay = 0.1f});
  const float *weight = values("adafactor_conv.start.weight"), *bias = values("adafactor_conv.start.bias");
  for (int i = 0; i < 18; ++i) trainer.model().get<"conv.weight">().data()[i] = weight[i];
  for (int i = 0; i < 3; ++i) trainer.model().get<"conv.bias">()[i] = bias[i];
  for (int step = 0; step < 20; ++step) {
    CAPTURE(step);
    CHECK(trainer.step(values("x"), values("target")).value() ==
          doctest::Approx(values("adafactor_conv.losses")[step]).epsilon(1e-5));
  }
  for (int i = 0; i < 18; ++i)
    CHECK(trainer.model().get<"conv.weight">().data()[i] ==
          doctest::Approx(values("adafactor_conv.weight")[i]).epsilon(2e-5));
  for (int i = 0; i < 3; ++i)
    CHECK(trainer.model().get<"conv.bias">()[i] ==
          doctest::Approx(values("adafactor_conv.bias")[i]).epsilon(2e-5));
}

TEST_CASE("adafactor: the state is small, is saved, and lies apart from an average's") {
  const auto wide = [](const auto& m, auto x) { return mean<>(m(x)); };
  using Small = decltype(make_trainer<Wide>(Cpu{1}, wide, in<f32, 1, 512>, optim::Adafactor{}));
  using None = decltype(make_trainer<Wide>(Cpu{1}, wide, in<f32, 1, 512>, optim::PlainSGD{}));
  // 256 rows, 512 columns, and the bias
  static_assert(Small::state_bytes() - None::state_bytes() == 4 * (256 + 512 + 256));

  const std::string path = "adafactor.safetensors";
  auto first = start(optim::ema(optim::Adafactor{.lr = 0.05f}, 0.0f), seed{4});
  for (int step = 0; step < 5; ++step) first.step(values("x"), values("target"));
  first.save(path);
  auto second = start(optim::ema(optim::Adafactor{.lr = 0.05f}, 0.0f), seed{5});
  second.load(path);
  std::remove(path.c_str());
  for (int step = 0; step < 5; ++step)
    CHECK(first.step(values("x"), values("target")).value() ==
          second.step(values("x"), values("target")).value());
  // an average that forgets everything is the weights
  auto averaged = second.average();
  for (i64 k = 0; k < 15; ++k) CHECK(averaged.get<"fc.weight">()[k] == second.model().get<"fc.weight">()[k]);
}

TEST_CASE("adafactor: maximises and accumulates as the others do") {
  auto up = start(optim::maximize(optim::Adafactor{.lr = 0.05f}), seed{4});
  auto down = start(optim::Adafactor{.lr = 0.05f}, seed{4});
  const f32 up_before = up.step(values("x"), values("target")),
            down_before = down.step(values("x"), values("target"));
  CHECK(up_before == down_before);
  CHECK(up.step(values("x"), values("target")).value() > up_before);
  CHECK(down.step(values("x"), values("target")).value() < down_before);
  // the mean of two equal gradients is the gradient
  auto twice = start(optim::Adafactor{.lr = 0.05f}, accumulate<2>, clip::norm(0.5f), seed{4});
  auto once = start(optim::Adafactor{.lr = 0.05f}, clip::norm(0.5f), seed{4});
  for (int step = 0; step < 6; ++step) twice.step(values("x"), values("target"));
  for (int step = 0; step < 3; ++step) once.step(values("x"), values("target"));
  for (i64 k = 0; k < 15; ++k)
    CHECK(twice.model().get<"fc.weight">()[k] ==
          doctest::Approx(once.model().get<"fc.weight">()[k]).epsilon(1e-5));
}
