// expect: Muon
// first-error: comm::zero: a rank updates a piece of the parameters
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/likelihood.hpp"
#include "weft/optim/adam.hpp"
#include "weft/optim/muon.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Backend {
  static Shared<comm::Communicator> connect() { return {}; }
};

int main() {
#ifdef WEFT_FIXED
  constexpr auto optimizer = optim::AdamW{};
#else
  constexpr auto optimizer = optim::Muon{};
#endif
  auto trainer = make_trainer<nn::Linear<8, 4>>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 8>, in<f32, 2, 4>,
      optimizer, comm::zero<1, Backend>);
}
