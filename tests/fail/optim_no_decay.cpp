// expect: no_decay: this optimiser has no weight_decay
// expect: Rprop
// first-error: no_decay: this optimiser has no weight_decay
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/optim/adafactor.hpp"
#include "weft/optim/rprop.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  const optim::Adafactor optimizer{.weight_decay = 0.1f};
#else
  const optim::Rprop optimizer{};
#endif
  auto trainer = make_trainer<nn::Linear<4, 2>>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 8, 4>, in<f32, 8, 2>,
      optim::groups(optim::no_decay(is_vector), optimizer));
  trainer.step(std::vector<f32>(32), std::vector<f32>(16));
}
