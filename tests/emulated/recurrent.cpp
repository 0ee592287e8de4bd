#include "weft/nn/recurrent.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "emulated/device.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;

namespace {

// Rows of 5 numbers, so that slices of a stack start where no vector may.
struct Net {
  nn::GRU<3, 5, nn::Recurrent{.num_layers = 2, .batch_first = true}> rnn{.dropout = 0.2f};
  nn::Linear<5, 1> head;
  constexpr auto operator()(auto x) const {
    const auto [y, last] = rnn(x);
    return head(y);
  }
};

template <class Device>
std::vector<f32> losses(const Device& device) {
  auto trainer = make_trainer<Net>(
      device, [](const auto& model, auto x, auto y) { return mse_loss(model(x), y); }, in<f32, 3, 7, 3>,
      in<f32, 3, 7, 1>, optim::SGD{.lr = 0.1f}, seed{2});
  std::vector<f32> x(63), y(21);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<f32>(i * 37 % 101) * 0.02f - 1.0f;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<f32>(i * 17 % 23) * 0.04f - 0.5f;
  std::vector<f32> all;
  for (int step = 0; step < 4; ++step) all.push_back(trainer.step(x, y).value());
  return all;
}

}  // namespace

TEST_CASE("recurrent: loops whose GPU kernels run in emulated blocks follow the host's") {
  const std::vector<f32> host = losses(Cpu{}), gpu = losses(emulated::Device{});
  CHECK(host.back() < host.front());
  for (std::size_t i = 0; i < host.size(); ++i) {
    INFO(i);
    CHECK(std::abs(host[i] - gpu[i]) <= 1e-5f * std::max(1.0f, host[i]));
  }
}
