// accumulate<N>: N batches, one update.

#include <doctest/doctest.h>

#include <cmath>

#include "../io/scratch.hpp"
#include "mlp.hpp"
#include "support/compile_verified.hpp"
#include "weft/nn/norm.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/optim/average.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;
using train_test::Mlp;

TEST_CASE("accumulate: accumulate<2> over halves is one batch up to rounding") {
  const auto loss = [](const auto& m, auto x, auto label) { return cross_entropy(m(x), label); };
  auto whole = make_trainer<Mlp>(Cpu{1}, loss, in<f32, 12, 6>, in<i32, 12>,
                                 optim::SGD{.lr = 0.1f, .momentum = 0.9f}, clip::norm(0.5f), seed{3});
  auto halves =
      make_trainer<Mlp>(Cpu{1}, loss, in<f32, 6, 6>, in<i32, 6>, optim::SGD{.lr = 0.1f, .momentum = 0.9f},
                        clip::norm(0.5f), seed{3}, accumulate<2>);
  const io::Safetensors file(repository_file("tests/parity/nn/training.safetensors"));
  const float* x = reinterpret_cast<const float*>(file.at("x").data);
  for (int step = 0; step < 8; ++step) {
    std::vector<i32> labels(12);
    for (std::size_t i = 0; i < 12; ++i) labels[i] = static_cast<i32>(i + static_cast<std::size_t>(step)) % 4;
    const float one = whole.step(x + step * 72, labels.data());
    const auto before = halves.model().get<"fc1.weight">().to_vector();
    const float first = halves.step(x + step * 72, labels.data());
    CHECK(halves.model().get<"fc1.weight">().to_vector() == before);
    const float second = halves.step(x + step * 72 + 36, labels.data() + 6);
    CHECK(halves.model().get<"fc1.weight">().to_vector() != before);
    CHECK((first + second) / 2 == doctest::Approx(one).epsilon(1e-5));
  }
  double most = 0;
  for (i64 i = 0; i < 16 * 16; ++i)
    most = std::fmax(
        most, std::abs(whole.model().get<"h.1.fc.weight">()[i] - halves.model().get<"h.1.fc.weight">()[i]));
  CHECK(most < 1e-5);
}

namespace {

struct Net {
  nn::Linear<8, 8> a;
  nn::LayerNorm<8> norm;
  nn::Linear<8, 8> b;
  constexpr auto operator()(auto x) const { return b(norm(tanh(a(x)))); }
};
constexpr auto square_loss = [](const auto& m, auto x) { return mean<>(square(m(x) - 1.0f)); };
constexpr auto both = [](const auto& m, auto x, auto y) {
  return 0.5f * (square_loss(m, x) + square_loss(m, y));
};
constexpr auto is_norm = [](std::string_view name, const Dims&) { return name.starts_with("norm."); };
constexpr auto is_first = [](std::string_view name, const Dims&) { return name.starts_with("a."); };
constexpr auto slower = [](auto& o) { o.lr = o.lr * 0.1f; };

// Two microbatches beside their mean as one batch, over several updates.
template <class... O>
void check_halves(const O&... options) {
  auto halves =
      make_trainer(Model<Net>(Cpu{}, 1), square_loss, in<f32, 4, 8>, options..., accumulate<2>, seed{3});
  auto whole = make_trainer(Model<Net>(Cpu{}, 1), both, in<f32, 4, 8>, in<f32, 4, 8>, options..., seed{3});
  for (int t = 0; t < 3; ++t) {
    std::vector<f32> x(32), y(32);
    for (std::size_t i = 0; i < 32; ++i) {
      x[i] = std::sin(0.3f * static_cast<f32>(i) + static_cast<f32>(t));
      y[i] = std::cos(0.7f * static_cast<f32>(i) + static_cast<f32>(t));
    }
    halves.step(x);
    halves.step(y);
    whole.step(x, y);
  }
  const auto near = [](const auto& one, const auto& other) {
    for (i64 i = 0; i < one.size(); ++i)
      CHECK(one.data()[i] == doctest::Approx(other.data()[i]).epsilon(1e-4));
  };
  near(halves.model().template get<"a.weight">(), whole.model().template get<"a.weight">());
  near(halves.model().template get<"a.bias">(), whole.model().template get<"a.bias">());
  near(halves.model().template get<"norm.weight">(), whole.model().template get<"norm.weight">());
  near(halves.model().template get<"norm.bias">(), whole.model().template get<"norm.bias">());
  near(halves.model().template get<"b.weight">(), whole.model().template get<"b.weight">());
  near(halves.model().template get<"b.bias">(), whole.model().template get<"b.bias">());
}

}  // namespace

TEST_CASE("accumulate: with parameter groups, whose ranges lie among one another") {
  check_halves(optim::SGD{.lr = 0.1f});
  check_halves(optim::groups(optim::no_decay(is_vector), optim::SGD{.lr = 0.1f, .weight_decay = 0.01f}));
  check_halves(optim::groups(optim::rule(is_norm, slower), optim::SGD{.lr = 0.1f, .momentum = 0.9f}));
  check_halves(
      optim::groups(optim::rule(is_first, slower), optim::no_decay(is_bias), optim::AdamW{.lr = 1e-2f}),
      clip::norm(0.5f));
  check_halves(optim::groups(optim::frozen(is_norm), optim::ema(optim::AdamW{.lr = 1e-2f}, 0.9f)));
}

TEST_CASE("accumulate: the vectors of groups are written range by range") {
  using O =
      train::Options<decltype(optim::groups(optim::no_decay(is_vector), optim::AdamW{})), Accumulate<2>>;
  const ir::Graph graph =
      train::StepSource<Net, decltype(square_loss), O, true, Input<f32, Shape<4, 8>>>::graph();
  testing::compile_verified(graph);
}
