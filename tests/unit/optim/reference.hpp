#pragma once
// 20 steps of a linear model beside PyTorch's, from tests/parity/nn/optimizers.safetensors (see
// generate_nn.py).

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "support/device.hpp"
#include "support/repository.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"

namespace optim_test {

using namespace weft;
using weft::testing::test_device;

inline const io::Safetensors& reference() {
  static const io::Safetensors file(repository_file("tests/parity/nn/optimizers.safetensors"));
  return file;
}
// What generate_optimizers.py adds.
inline const io::Safetensors& more() {
  static const io::Safetensors file(repository_file("tests/parity/nn/optimizers_linear.safetensors"));
  return file;
}
inline const float* values(const std::string& name) {
  const io::Safetensors& file = reference().find(name) ? reference() : more();
  return reinterpret_cast<const float*>(file.at(name).data);
}

struct Model {
  nn::Linear<5, 3> fc{};
  constexpr auto operator()(auto x) const { return fc(x); }
};

// |a - b| <= 1.3e-6 + 1e-5 |b|
template <class View>
void check_close(const View& got, const float* wanted, const std::string& what) {
  for (i64 i = 0; i < View::size(); ++i) {
    CAPTURE(what);
    CAPTURE(i);
    CHECK(std::abs(got[i] - wanted[i]) <= 1.3e-6 + 1e-5 * std::abs(wanted[i]));
  }
}

// Trains with the options given and compares every loss and the last parameters with those of `name`.
// Returns the trainer.
template <class... Option>
auto compare(const std::string& name, const Option&... options) {
  auto trainer = make_trainer<Model>(
      test_device(), [](const auto& m, auto x, auto target) { return mse_loss(m(x), target); }, in<f32, 8, 5>,
      in<f32, 8, 3>, options...);
  const float *weight = values("weight"), *bias = values("bias"), *losses = values(name + ".losses");
  for (int i = 0; i < 15; ++i) trainer.model().template get<"fc.weight">()[i] = weight[i];
  for (int i = 0; i < 3; ++i) trainer.model().template get<"fc.bias">()[i] = bias[i];
  for (int step = 0; step < 20; ++step) {
    const float loss = trainer.step(values("x"), values("target"));
    CAPTURE(name);
    CAPTURE(step);
    CHECK(std::abs(loss - losses[step]) <= 1.3e-6 + 1e-5 * std::abs(losses[step]));
  }
  check_close(trainer.model().template get<"fc.weight">(), values(name + ".weight"), name + ".weight");
  check_close(trainer.model().template get<"fc.bias">(), values(name + ".bias"), name + ".bias");
  return trainer;
}

}  // namespace optim_test
