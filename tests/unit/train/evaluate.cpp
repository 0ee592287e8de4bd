#include "weft/train/evaluate.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "weft/nn/batch_norm.hpp"
#include "weft/nn/dropout.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/ops/loss/metric.hpp"

using namespace weft;

namespace {

struct Net {
  nn::Linear<3, 4> fc{};
  nn::BatchNorm1d<4> norm{};
  nn::Dropout drop{.p = 0.5f};
  constexpr auto operator()(auto x) const { return drop(norm(fc(x))); }
};
const std::vector<f32> x{1, 2, 3, -1, 0, 2, 4, 4, 1, 0, 1, 0, 5, -2, 1, 1, 1, 1, 2, 0, 2};  // 7 samples
const std::vector<i32> y{0, 1, 2, 3, 0, 1, 2};
const auto labelled = data::Arrays<f32, i32>({x, {3}}, {y, {}});

constexpr auto loss = [](const auto& m, auto a, auto b) { return cross_entropy(m(a), b); };
constexpr auto rowwise = [](const auto& m, auto a, auto b) {
  return cross_entropy<reduction::none>(m(a), b);
};
constexpr auto both = [](const auto& m, auto a, auto b) {
  const auto logits = m(a);
  return std::tuple{cross_entropy(logits, b), accuracy(logits, b)};
};

}  // namespace

TEST_CASE("evaluate: means over all samples, in evaluation mode, whatever the batch") {
  Model<Net> model(Cpu{1}, 5);
  const f64 wanted = compile(model, loss, in<f32, 7, 3>, in<i32, 7>)(x, y).item();
  CHECK(evaluate(model, loss, labelled, in<f32, 7, 3>, in<i32, 7>) == doctest::Approx(wanted));
  CHECK(evaluate(model, loss, labelled, in<f32, 3, 3>, in<i32, 3>) == doctest::Approx(wanted));
  CHECK(evaluate(model, loss, labelled, in<f32, 16, 3>, in<i32, 16>) == doctest::Approx(wanted));
  CHECK(evaluate(model, rowwise, labelled, in<f32, 4, 3>, in<i32, 4>) == doctest::Approx(wanted));
}

TEST_CASE("evaluate: several results come as an array, and the model stays as it was") {
  Model<Net> model(Cpu{1}, 5);
  const auto before = get<"norm.running_mean">(model).to_vector();
  const auto [mean_loss, share] = evaluate(model, both, labelled, in<f32, 5, 3>, in<i32, 5>);
  CHECK(mean_loss == doctest::Approx(evaluate(model, loss, labelled, in<f32, 5, 3>, in<i32, 5>)));
  const auto logits = compile(
                          model, [](const auto& m, auto a) { return m(a); }, in<f32, 7, 3>)(x)
                          .to_vector();
  int right = 0;
  for (std::size_t i = 0; i < 7; ++i) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < 4; ++k) best = logits[4 * i + k] > logits[4 * i + best] ? k : best;
    right += static_cast<i32>(best) == y[i] ? 1 : 0;
  }
  CHECK(share == doctest::Approx(right / 7.0));
  CHECK(get<"norm.running_mean">(model).to_vector() == before);
}
