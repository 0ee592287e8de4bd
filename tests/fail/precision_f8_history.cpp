// expect: precision::f8_with: the history is 1 to 4096 steps long, and the margin 0 to 16
// first-error: precision::f8_with: the history is 1 to 4096 steps long
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 8> first, inner, last;
  constexpr auto operator()(auto x) const { return last(inner(first(x))); }
};

int main() {
#ifdef WEFT_FIXED
  constexpr int history = 32;
#else
  constexpr int history = 0;
#endif
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& model, auto x, auto y) { return mse_loss(model(x), y); }, in<f32, 16, 8>,
      in<f32, 16, 8>, optim::AdamW{.lr = 1e-3f},
      precision::f8_with<precision::DelayedScaling{.history = history}>);
}
