// wrote: trainer.set_lr("0.1");
// write: trainer.set_lr(0.1f);
// expect: set_lr takes a number
// first-error: RateIsNumber<Net
#include "weft/weft.hpp"
namespace nn = weft::nn;
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};
int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& model, auto x, auto y) { return cross_entropy(model(x), y); }, in<f32, 4, 8>,
      in<i64, 4>, optim::SGD{.lr = 0.1f});
#ifdef WEFT_FIXED
  trainer.set_lr(0.1f);
#else
  trainer.set_lr("0.1");
#endif
}
