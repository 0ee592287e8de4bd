// wrote: trainer.set_learning_rate(1e-3f);
// write: trainer.set_lr(1e-3f);
// expect: set_learning_rate
// first-error: set_lr(rate) sets the
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x, auto y) { return cross_entropy(net(x), y); }, in<f32, 2, 8>,
      in<i32, 2>, optim::SGD{.lr = 0.1f});
#ifdef WEFT_FIXED
  trainer.set_lr(1e-3f);
#else
  trainer.set_learning_rate(1e-3f);
#endif
}
