// wrote: optim::AdamW(optim::AdamWOptions(1e-3).weight_decay(0.1))
// write: optim::AdamW{.lr = 1e-3f, .weight_decay = 0.1f}
// expect: AdamW
// first-error: an optimiser's numbers are its members
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
#ifdef WEFT_FIXED
  const auto adam = optim::AdamW{.lr = 1e-3f, .weight_decay = 0.1f};
#else
  const auto adam = optim::AdamW(optim::AdamWOptions(1e-3).weight_decay(0.1));
#endif
  auto trainer = make_trainer<Net>(
      Cpu{1}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 8>, in<f32, 2, 4>,
      adam);
}
