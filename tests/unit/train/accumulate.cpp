// accumulate<N>: N batches, one update.

#include <doctest/doctest.h>

#include <cmath>

#include "../io/scratch.hpp"
#include "mlp.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
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
