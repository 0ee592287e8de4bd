// wrote: optim::RAdam{.learning_rate = 0.1f}
// write: optim::RAdam{.lr = 0.1f}
// expect: RAdam
// first-error: an optimiser's rate is its member lr:
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
      optim::RAdam{.lr = 0.1f});
#else
      optim::RAdam{.learning_rate = 0.1f});
#endif
}
