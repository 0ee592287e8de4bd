// The programs of docs/optimizers.md; what it says of them is checked.
#include <doctest/doctest.h>

#include "weft/train/lbfgs.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

struct Net {
  nn::Linear<4, 16> fc1;
  nn::Linear<16, 2> fc2;
  constexpr auto operator()(auto x) const { return fc2(gelu(fc1(x))); }
};
constexpr auto loss = [](const auto& net, auto x, auto y) { return mse_loss(net(x), y); };

struct Data {
  std::vector<f32> x, y;
  Data() {
    for (int i = 0; i < 32; ++i) {
      const float a = static_cast<float>(i % 7) / 7, b = static_cast<float>(i % 5) / 5;
      for (float v : {a, b, a * b, 1.0f}) x.push_back(v);
      for (float v : {a - b, a * a}) y.push_back(v);
    }
  }
};

}  // namespace

TEST_CASE("optimizers page: groups, wrappers and averages") {
  const auto [x, y] = Data{};
  // [wrappers]
  auto trainer = make_trainer<Net>(
      Cpu{1}, loss, in<f32, 32, 4>, in<f32, 32, 2>,
      optim::groups(optim::no_decay(is_vector),  // biases and gains do not decay
                    optim::ema(optim::amsgrad(optim::AdamW{.lr = schedule::warmup_cosine(1e-2, 10, 200),
                                                           .weight_decay = 0.05f}),
                               0.95f)));
  for (int step = 0; step < 200; ++step) trainer.step(x, y);
  auto averaged = trainer.average();  // a model of its own; the trained one continues
  auto predict = compile(
      averaged, [](const auto& net, auto in) { return net(in); }, in<f32, 32, 4>);
  // [/wrappers]
  const auto got = predict(x);
  double error = 0;
  for (i64 i = 0; i < 64; ++i) error += std::abs(got[i] - y[static_cast<std::size_t>(i)]) / 64;
  CHECK(error < 0.1);
}

TEST_CASE("optimizers page: Muon") {
  const auto [x, y] = Data{};
  // [muon]
  constexpr auto is_head = [](std::string_view name, const Dims&) { return name == "fc2.weight"; };
  auto trainer = make_trainer<Net>(Cpu{1}, loss, in<f32, 32, 4>, in<f32, 32, 2>,
                                   optim::groups(optim::elementwise(is_head),  // AdamW for it, too
                                                 optim::Muon{.lr = 0.02f, .others = {.lr = 3e-3f}}));
  // [/muon]
  const float first = trainer.step(x, y);
  float last = first;
  for (int step = 0; step < 100; ++step) last = trainer.step(x, y);
  CHECK(last < 0.2f * first);
}

TEST_CASE("optimizers page: L-BFGS") {
  const auto [x, y] = Data{};
  // [lbfgs]
  auto fit = make_trainer<Net>(Cpu{1}, loss, in<f32, 32, 4>, in<f32, 32, 2>,
                               optim::LBFGS{.max_iter = 20, .line_search = optim::LineSearch::strong_wolfe});
  const f32 before = fit.step(x, y);  // up to 20 iterations; the loss before them
  const f32 after = fit.step(x, y);
  // [/lbfgs]
  CHECK(after < 0.05f * before);
  CHECK(fit.evaluations() > 20);
}
