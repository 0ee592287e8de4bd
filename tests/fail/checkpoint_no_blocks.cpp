// expect: checkpoint::blocks, dots, keep<...>: the model has no blocks to compute again
// first-error: checkpoint::blocks, dots, keep<...>: the model has no blocks to compute again
#include <array>

#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

#ifdef WEFT_FIXED
struct Net {
  std::array<nn::Linear<8, 8>, 2> fc;
};
#else
struct Net {
  nn::Linear<8, 8> fc1, fc2;
};
#endif

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m.fc[1](m.fc[0](x)), y); }, in<f32, 4, 8>,
      in<f32, 4, 8>, optim::AdamW{}, checkpoint::blocks);
#else
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m.fc2(m.fc1(x)), y); }, in<f32, 4, 8>,
      in<f32, 4, 8>, optim::AdamW{}, checkpoint::blocks);
#endif
}
