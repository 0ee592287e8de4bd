#include "weft/exec/probes.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "support/error_of.hpp"
#include "weft/exec/function.hpp"
#include "weft/ir/print.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/transform/grad.hpp"
#include "weft/train/lbfgs.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;

namespace {

template <bool Marked>
struct Net {
  std::array<nn::Linear<4, 4>, 2> h{};
  nn::Linear<4, 2> out{};
  constexpr auto operator()(auto x) const {
    for (const auto& layer : h) x = mark(tanh(layer(x)));
    return logits(out(x));
  }
  static constexpr auto mark(auto x) {
    if constexpr (Marked)
      return probe<"hidden">(x);
    else
      return x;
  }
  static constexpr auto logits(auto x) {
    if constexpr (Marked)
      return probe<"logits">(x * 1);
    else
      return x * 1;
  }
};

constexpr auto loss = [](const auto& m, auto x, auto y) { return probe<"loss">(mse_loss(m(x), y)); };
constexpr auto plain_loss = [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); };

template <class M, class F, class... O>
std::string step_text(F, O...) {
  using Options = train::Options<O...>;
  using Source = train::StepSource<M, F, Options, true, Input<f32, Shape<3, 4>>, Input<f32, Shape<3, 2>>>;
  return ir::print(Source::graph());
}

std::vector<f32> wave(std::size_t n, f32 phase) {
  std::vector<f32> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = std::sin(static_cast<f32>(i) + phase);
  return v;
}

}  // namespace

TEST_CASE("probes: without the option a marked model is the model without marks") {
  CHECK(step_text<Net<true>>(loss, optim::SGD{}) == step_text<Net<false>>(plain_loss, optim::SGD{}));
}

TEST_CASE("probes: a step keeps what was asked for, and computes the same") {
  const auto make = [](auto... more) {
    return make_trainer<Net<true>>(Cpu{}, loss, in<f32, 3, 4>, in<f32, 3, 2>, optim::SGD{.lr = 0.1f}, seed{3},
                                   accumulate<2>, more...);
  };
  auto watched = make(probes<"logits", "hidden", "loss">);
  auto plain = make();
  CHECK(weft::testing::error_of([&] { watched.get_probe<"logits">(); }) == "train/no-step");
  const std::vector<f32> x = wave(12, 0.5f), y = wave(6, 2);
  for (int step = 0; step < 4; ++step) {
    // what the model computes before the step changes it
    auto forward = compile(
        watched.model(),
        [](const auto& m, auto in) {
          const auto first = tanh(m.h[0](in));
          const auto second = tanh(m.h[1](first));
          return std::tuple{first, second, m.out(second)};
        },
        in<f32, 3, 4>);
    const auto [first, second, logits] = forward(x);
    const f32 value = watched.step(x, y);
    CHECK(value == static_cast<f32>(plain.step(x, y)));
    const auto kept = get_probe<"hidden">(watched), kept_second = watched.get_probe<"hidden", 1>();
    for (i64 i = 0; i < 12; ++i) {
      CHECK(kept[i] == first[i]);
      CHECK(kept_second[i] == second[i]);
    }
    static_assert(std::is_same_v<decltype(watched.get_probe<"logits">())::shape, Shape<3, 2>>);
    for (i64 i = 0; i < 6; ++i) CHECK(watched.get_probe<"logits">()[i] == logits[i]);
    CHECK(watched.get_probe<"loss">().item() == value);
  }
}

TEST_CASE("probes: of compiled functions, with a model and without, inputs and parameters among them") {
  auto f = compile(
      Cpu{},
      [](auto x) {
        const auto y = probe<"square">(probe<"in">(x) * x);
        return grad([](auto z) { return sum(probe<"inside">(exp(z))); })(y);
      },
      in<f64, 3>, probes<"in", "square", "inside">);
  const std::vector<double> x{1, -2, 0.5};
  CHECK(weft::testing::error_of([&] { f.get_probe<"in">(); }) == "call/no-call");
  const auto g = f(x);
  for (i64 i = 0; i < 3; ++i) {
    const double v = x[static_cast<std::size_t>(i)];
    CHECK(f.get_probe<"in">()[i] == v);
    CHECK(get_probe<"square">(f)[i] == v * v);
    CHECK(f.get_probe<"inside">()[i] == doctest::Approx(std::exp(v * v)).epsilon(1e-14));
    CHECK(g[i] == doctest::Approx(std::exp(v * v)).epsilon(1e-14));
  }
  Model<nn::Linear<4, 2>> model(Cpu{}, 7);
  auto h = compile(
      model, [](const auto& m, auto in) { return m(in) + sum(probe<"weight">(m.weight)); }, in<f32, 1, 4>,
      probes<"weight">);
  h(std::vector<f32>(4, 1.0f));
  for (i64 i = 0; i < 8; ++i) CHECK(h.get_probe<"weight">()[i] == model.get<"weight">()[i]);
}

TEST_CASE("probes: the trainer that searches keeps those of its last evaluation") {
  auto trainer = make_trainer<Net<true>>(Cpu{}, loss, in<f32, 3, 4>, in<f32, 3, 2>, optim::LBFGS{}, seed{3},
                                         probes<"loss">);
  const f32 before = trainer.step(wave(12, 0.5f), wave(6, 2));
  CHECK(get_probe<"loss">(trainer).item() < before);
  CHECK(get_probe<"loss">(trainer).item() > 0);
}
