// expect: make_trainer: an optimiser is missing: add one, such as optim::AdamW{}
// first-error: make_trainer: an optimiser is missing
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x) { return mean<>(m.fc(x)); }, in<f32, 4, 8>
#ifdef WEFT_FIXED
      ,
      optim::AdamW{}
#endif
  );
  trainer.step(static_cast<const float*>(nullptr));
}
