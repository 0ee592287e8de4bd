// wrote: nn::Dense<8, 4> fc;
// write: nn::Linear<8, 4> fc;
// expect: the layer is nn::Linear<in, out>
// first-error: the layer is nn::Linear
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Linear<8, 4> fc;
#else
  nn::Dense<8, 4> fc;
#endif
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& model, auto x, auto y) { return mse_loss(model(x), y); }, in<f32, 4, 8>,
      in<f32, 4, 4>, optim::SGD{.lr = 0.1f});
}
