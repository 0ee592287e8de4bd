// wrote: make_trainer<Net>(Cpu{}, optim::AdamW{}, loss, in<...>)
// write: make_trainer<Net>(Cpu{}, loss, in<...>, optim::AdamW{})
// expect: AdamW
// first-error: make_trainer: the loss comes before inputs and options
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/likelihood.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

int main() {
  constexpr auto loss = [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); };
#ifdef WEFT_FIXED
  auto t = make_trainer<nn::Linear<8, 4>>(Cpu{}, loss, in<f32, 2, 8>, in<f32, 2, 4>, optim::AdamW{});
#else
  auto t = make_trainer<nn::Linear<8, 4>>(Cpu{}, optim::AdamW{}, loss, in<f32, 2, 8>, in<f32, 2, 4>);
#endif
}
