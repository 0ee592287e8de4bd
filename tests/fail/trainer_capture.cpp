// expect: must capture nothing: make run-time values inputs
// first-error: must capture nothing
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};

int main() {
  float scale = 2;
  (void)scale;
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto s) { return mean<>(m.fc(x) * s); }, in<f32, 4, 8>, in<f32>,
      optim::AdamW{});
#else
  auto trainer = make_trainer<Net>(
      Cpu{}, [scale](const auto& m, auto x) { return mean<>(m.fc(x) * scale); }, in<f32, 4, 8>,
      optim::AdamW{});
#endif
}
