#include "weft/train/meter.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support/thread_ranks.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

struct Net {
  nn::Linear<3, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };
const std::vector<f32> x{1, 2, 3, -1, 0, 2, 4, 4, 1, 0, 1, 0, 5, -2, 1, 1, 1, 1, 2, 0, 2};  // 7 samples
const std::vector<i32> y{0, 1, 2, 3, 0, 1, 2};
const data::Arrays<f32, i32> samples({x, {3}}, {y, {}});

}  // namespace

TEST_CASE("meter: a metric over batches, read at any time, started anew") {
  Model<Net> model(Cpu{}, 1);
  auto predict = compile(
      model, [](const auto& m, auto v) { return m(v); }, in<f32, 2, 3>);
  auto meter = make_meter<nn::Accuracy>(Cpu{}, in<f32, 2, 4>, in<i32, 2>);
  auto mean = make_meter<nn::Mean>(Cpu{}, in<f32>);
  const f64 wanted = evaluate(
      model, [](const auto& m, auto a, auto b) { return accuracy(m(a), b); }, samples, in<f32, 7, 3>,
      in<i32, 7>);
  for (int pass = 0; pass < 2; ++pass) {
    for (auto& [a, b] : data::loader<2>(samples, {.last = data::pad_and_mask})) meter.add(predict(a), b);
    CHECK(meter.read().item() == doctest::Approx(wanted));
    const auto before = meter.read();
    meter.reset();
    meter.add(predict(x.data()), y.data());
    CHECK(before.item() == doctest::Approx(wanted));
    meter.reset();
  }
  mean.add(1.0f);
  CHECK(mean.add(4.0f).item() == 2.5f);
  mean.reset();
  mean.add(3.0f);
  CHECK(mean.read().item() == 3.0f);
}

TEST_CASE("meter: what all ranks have added") {
  auto whole = make_meter<nn::ConfusionMatrix<4>>(Cpu{}, in<i32, 7>, in<i32, 7>);
  const std::vector<i32> guessed{0, 1, 1, 3, 2, 1, 2};
  whole.add(guessed, y);
  const auto wanted = whole.read().to_vector();
  std::vector<std::vector<i64>> got(3);
  std::vector<f32> mean(3), own_mean(3);
  test_support::run_ranks(3, [&](int r) {
    const auto ranks = test_support::ThreadRanks::connect();
    const auto k = static_cast<std::size_t>(r);
    auto counts = make_meter<nn::ConfusionMatrix<4>>(Cpu{}, in<i32, 1>, in<i32, 1>);
    auto loss_of = make_meter<nn::Mean>(Cpu{}, in<f32>, in<i32>);
    for (std::size_t i = k; i < y.size(); i += 3) {
      const i32 guess[]{guessed[i]}, label[]{y[i]};
      counts.add(guess, label);
      loss_of.add(static_cast<f32>(i), static_cast<i32>(i));  // each counts as often as it is
    }
    const auto result = counts.read(ranks);
    got[k] = result.to_vector();
    mean[k] = loss_of.read(ranks).item();
    own_mean[k] = loss_of.read().item();
    CHECK(counts.read().to_vector() != got[k]);  // stays this rank's
  });
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(got[k] == wanted);
    CHECK(mean[k] == doctest::Approx(91.0 / 21.0));
  }
  CHECK(own_mean[1] == doctest::Approx(17.0 / 5.0));  // of 1 and 4
}

TEST_CASE("trainer: gradient_norm() is that of the last update, before clipping") {
  const auto norm_by_hand = [](Model<Net>& model) {
    auto f = compile(
        model,
        [](const auto& m, auto a, auto b) {
          const auto g = grad(loss)(m, a, b);
          return norm<>(nn::parameters_to_vector(g));
        },
        in<f32, 7, 3>, in<i32, 7>);
    return static_cast<f64>(f(x, y).item());
  };
  const auto run = [&](const auto&... options) {
    auto trainer = make_trainer<Net>(Cpu{1}, loss, in<f32, 7, 3>, in<i32, 7>, optim::SGD{.lr = 0.1f}, seed{2},
                                     options...);
    bool threw = false;
    try {
      trainer.gradient_norm();
    } catch (const Error& error) {
      threw = error.id() == "train/no-step";
    }
    CHECK(threw);
    for (int step = 0; step < 3; ++step) {
      const f64 wanted = norm_by_hand(trainer.model());
      trainer.step(x, y);
      CHECK(trainer.gradient_norm() == doctest::Approx(wanted).epsilon(2e-3));
    }
  };
  run(clip::norm(0.1f));
  run(clip::norm(std::numeric_limits<f32>::infinity()));
  run(clip::norm(0.1f), precision::f16);
  auto twice = make_trainer<Net>(Cpu{1}, loss, in<f32, 7, 3>, in<i32, 7>, optim::SGD{.lr = 0.1f}, seed{2},
                                 clip::norm(0.1f), accumulate<2>);
  const f64 wanted = norm_by_hand(twice.model());
  twice.step(x, y);
  twice.step(x, y);
  CHECK(twice.gradient_norm() == doctest::Approx(wanted).epsilon(1e-4));
}

TEST_CASE("trainer: evaluate() of the loss or of a function, with the trainer's inputs or others") {
  auto trainer = make_trainer<Net>(Cpu{1}, loss, in<f32, 4, 3>, in<i32, 4>, optim::SGD{.lr = 0.1f}, seed{2});
  const f64 wanted = evaluate(trainer.model(), loss, samples, in<f32, 7, 3>, in<i32, 7>);
  CHECK(trainer.evaluate(samples) == doctest::Approx(wanted));
  CHECK(trainer.evaluate(loss, samples) == doctest::Approx(wanted));
  CHECK(trainer.evaluate(loss, samples, in<f32, 2, 3>, in<i32, 2>) == doctest::Approx(wanted));
  const auto both = trainer.evaluate(
      [](const auto& m, auto a, auto b) {
        return std::tuple{cross_entropy(m(a), b), accuracy(m(a), b)};
      },
      samples);
  CHECK(both[0] == doctest::Approx(wanted));
}
