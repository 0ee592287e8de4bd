// wrote: trainer.set_lr(schedule::cosine(1e-3, 100));
// write: trainer.set_lr(1e-3f);
// expect: Net
// first-error: set_lr takes a number, for the updates to come
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
  trainer.set_lr(1e-3f);
#else
  trainer.set_lr(schedule::cosine(1e-3, 100));
#endif
}
