// wrote: auto averaged = trainer.average();
// write: auto trained = trainer.model().clone();
// expect: SGD
// first-error: average: the optimiser keeps no average of the weights
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
  auto trained = trainer.model().clone();
#else
  auto averaged = trainer.average();
#endif
}
