// wrote: auto trainer = make_trainer<Frozen>(Cpu{}, ..., in<f32, 4, 8>, optim::SGD{.lr = 0.1f});
// write: auto trainer = make_trainer<Net>(Cpu{}, ..., in<f32, 4, 8>, optim::SGD{.lr = 0.1f});
// expect: Frozen
// first-error: make_trainer: the model has no parameter to train
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};
struct Frozen {
  nn::Frozen<nn::Linear<8, 4>> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x) { return mean<>(net(x)); }, in<f32, 4, 8>, optim::SGD{.lr = 0.1f});
#else
  auto trainer = make_trainer<Frozen>(
      Cpu{}, [](const auto& net, auto x) { return mean<>(net(x)); }, in<f32, 4, 8>, optim::SGD{.lr = 0.1f});
#endif
}
