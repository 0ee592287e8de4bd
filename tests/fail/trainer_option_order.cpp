// expect: make_trainer: the inputs come before the options
// first-error: make_trainer: the inputs come before the options
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m.fc(x), y); }, in<f32, 4, 8>, in<f32, 4, 3>,
      optim::AdamW{});
#else
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m.fc(x), y); }, in<f32, 4, 8>,
      optim::AdamW{}, in<f32, 4, 3>);
#endif
}
