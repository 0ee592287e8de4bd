// wrote: comm::zero<3, Backend>
// write: comm::zero<2, Backend>
// expect: GivenSize<3>
// first-error: comm::zero<1, Backend> shares the optimiser's state out among the ranks
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/likelihood.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Backend {
  static Shared<comm::Communicator> connect() { return {}; }
};

int main() {
#ifdef WEFT_FIXED
  constexpr int stage = 2;
#else
  constexpr int stage = 3;
#endif
  auto trainer = make_trainer<nn::Linear<8, 4>>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 8>, in<f32, 2, 4>,
      optim::SGD{}, comm::zero<stage, Backend>);
}
