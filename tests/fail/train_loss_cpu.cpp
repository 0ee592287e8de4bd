// wrote: auto loss = trainer.step(std::vector<f32>(32)).cpu();
// write: auto loss = trainer.step(std::vector<f32>(32)).item();
// expect: StepLoss
// first-error: the loss of a step is a number, loss.item()
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x) { return mean<>(net(x)); }, in<f32, 4, 8>, optim::SGD{.lr = 0.1f});
#ifdef WEFT_FIXED
  auto loss = trainer.step(std::vector<f32>(32)).item();
#else
  auto loss = trainer.step(std::vector<f32>(32)).cpu();
#endif
}
