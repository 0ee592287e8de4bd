// Sequences of run-time lengths as a GPU would train on them: packed recurrent layers, ctc_loss, Adafactor.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "emulated/device.hpp"
#include "weft/nn/linear.hpp"
#include "weft/nn/recurrent.hpp"
#include "weft/ops/loss/ctc.hpp"
#include "weft/optim/adafactor.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;

namespace {

struct Reader {
  nn::LSTM<3, 5, nn::Recurrent{.bidirectional = true}> rnn{};
  nn::Linear<10, 4> head{};
  constexpr auto operator()(auto x, auto steps) const {  // (T, N, 3), (N) -> (T, N, 4)
    return log_softmax<-1>(head(std::get<0>(rnn(x, steps))));
  }
};

template <class Device>
std::vector<f32> losses(const Device& device) {
  auto trainer = make_trainer<Reader>(
      device,
      [](const auto& model, auto x, auto steps, auto y, auto counts) {
        return ctc_loss(model(x, steps), y, steps, counts);
      },
      in<f32, 9, 3, 3>, in<i32, 3>, in<i64, 3, 3>, in<i64, 3>, optim::Adafactor{.lr = 0.1f}, seed{2});
  std::vector<f32> x(81);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<f32>(i * 37 % 101) * 0.02f - 1.0f;
  const std::vector<i32> steps{9, 5, 7};
  const std::vector<i64> y{1, 2, 2, 3, 0, 0, 1, 3, 0}, counts{3, 1, 2};
  std::vector<f32> all;
  for (int step = 0; step < 5; ++step) all.push_back(trainer.step(x, steps, y, counts).value());
  return all;
}

}  // namespace

TEST_CASE("sequences: losses of kernels that run in emulated blocks follow the host's") {
  const std::vector<f32> host = losses(Cpu{}), gpu = losses(emulated::Device{});
  CHECK(host.back() < host.front());
  for (std::size_t i = 0; i < host.size(); ++i) {
    INFO(i);
    CHECK(std::abs(host[i] - gpu[i]) <= 1e-5f * std::max(1.0f, host[i]));
  }
}
