// wrote: comm::zero<4, Backend>
// write: comm::zero<3, Backend>
// expect: GivenSize<4>
// first-error: comm::zero<Stage, Backend> shares out among the ranks, in stage 1 the optimiser's state
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/likelihood.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Backend {
  static Shared<comm::Communicator> connect() { return {}; }
};

int main() {
#ifdef WEFT_FIXED
  constexpr int stage = 3;
#else
  constexpr int stage = 4;
#endif
  auto trainer = make_trainer<nn::Linear<8, 4>>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 8>, in<f32, 2, 4>,
      optim::SGD{}, comm::zero<stage, Backend>);
}
