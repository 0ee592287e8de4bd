// expect: make_trainer: the loss cannot be called with the model and these inputs
// first-error: make_trainer: the loss cannot be called with the model and these inputs
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
      Cpu{}, [](const auto& m, auto x) { return mean<>(m.fc(x)); }, in<f32, 4, 8>, optim::AdamW{});
#else
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x) { return mean<>(m.fc(x)); }, in<f32, 4, 8>, in<i32, 4>,
      optim::AdamW{});
#endif
  trainer.step(static_cast<const float*>(nullptr));
}
