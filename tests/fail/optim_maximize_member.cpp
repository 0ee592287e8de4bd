// wrote: optim::SGD{.lr = 0.1f, .maximize = true}
// write: optim::maximize(optim::SGD{.lr = 0.1f})
// expect: spelled::maximize
// expect: SGD
// first-error: amsgrad and maximize are functions of an optimiser:
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& model, auto x, auto y) { return cross_entropy(model(x), y); }, in<f32, 16, 8>,
      in<i32, 16>,
#ifdef WEFT_FIXED
      optim::maximize(optim::SGD{.lr = 0.1f}));
#else
      optim::SGD{.lr = 0.1f, .maximize = true});
#endif
}
