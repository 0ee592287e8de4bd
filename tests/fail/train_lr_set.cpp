// wrote: trainer.lr(0.01f)
// write: trainer.set_lr(0.01f)
// expect: float
// first-error: the optimiser's numbers are given where the trainer is made
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& model, auto x, auto y) { return cross_entropy(model(x), y); }, in<f32, 16, 8>,
      in<i32, 16>, optim::SGD{.lr = 0.1f});
#ifdef WEFT_FIXED
  trainer.set_lr(0.01f);
#else
  trainer.lr(0.01f);
#endif
}
