// wrote: checkpoint::budget<1000> of a model that takes more
// write: a budget of at least what the error's WantedSize says
// expect: checkpoint::budget<bytes>: the workspace takes more, even where of each block only what enters
// expect: WantedSize<
// first-error: checkpoint::budget<bytes>: the workspace takes more
#include <array>

#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Net {
  std::array<nn::Linear<8, 8>, 2> fc;
};

int main() {
#ifdef WEFT_FIXED
  constexpr i64 bytes = 1 << 20;
#else
  constexpr i64 bytes = 1000;
#endif
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m.fc[1](m.fc[0](x)), y); }, in<f32, 4, 8>,
      in<f32, 4, 8>, optim::AdamW{}, checkpoint::budget<bytes>);
}
