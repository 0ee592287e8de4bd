#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "emulated/device.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

struct Mlp {
  nn::Linear<24, 40> fc1;
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<40, 5> fc2;
  constexpr auto operator()(auto x) const { return fc2(drop(gelu(fc1(x)))); }
};

// The losses of some steps on one batch.
template <class Device>
std::vector<f32> losses(const Device& device) {
  auto trainer = make_trainer<Mlp>(
      device, [](const auto& model, auto x, auto label) { return cross_entropy(model(x), label); },
      in<f32, 32, 24>, in<i32, 32>, optim::AdamW{.lr = 1e-2f, .weight_decay = 0.01f}, clip::norm(1.0f),
      seed{2});
  std::vector<f32> x(32 * 24);
  std::vector<i32> label(32);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<f32>(i * 37 % 101) * 0.02f - 1.0f;
  for (std::size_t i = 0; i < label.size(); ++i) label[i] = static_cast<i32>(i % 5);
  std::vector<f32> all;
  for (int step = 0; step < 6; ++step) all.push_back(trainer.step(x, label).value());
  return all;
}

}  // namespace

TEST_CASE("train: a step whose GPU kernels run in emulated blocks follows the host's") {
  const std::vector<f32> host = losses(Cpu{}), gpu = losses(emulated::Device{});
  CHECK(host.back() < host.front());
  for (std::size_t i = 0; i < host.size(); ++i) {
    INFO(i);
    CHECK(std::abs(host[i] - gpu[i]) <= 1e-4f * std::max(1.0f, host[i]));
  }
}
