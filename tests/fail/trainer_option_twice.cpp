// expect: AdamW
// expect: SGD
// first-error: make_trainer: the optimiser, the precision, the clipping
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x) { return mean<>(m.fc(x)); }, in<f32, 4, 8>,
#ifdef WEFT_FIXED
      comm::none, checkpoint::none, mode::train, seed{1}, accumulate<2>, clip::norm(1), precision::bf16,
      optim::SGD{});
#else
      optim::AdamW{}, optim::SGD{});
#endif
}
