// expect: takes one argument for each in<...>
// first-error: takes one argument for each in<...>
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m.fc(x), y); }, in<f32, 4, 8>, in<f32, 4, 3>,
      optim::AdamW{});
  Tensor<f32, Shape<4, 8>> x;
#ifdef WEFT_FIXED
  Tensor<f32, Shape<4, 3>> y;
  trainer.step(x, y);
#else
  trainer.step(x);
#endif
}
