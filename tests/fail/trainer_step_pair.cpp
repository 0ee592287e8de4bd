// wrote: auto [loss, hits] = trainer.step(x, y);
// write: const f32 loss = trainer.step(x, y);
// expect: StepLoss
// first-error: step(x, y) gives the loss alone
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{1}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 8>, in<f32, 2, 4>,
      optim::SGD{.lr = 0.1f});
  const std::vector<f32> x(16), y(8);
#ifdef WEFT_FIXED
  const f32 loss = trainer.step(x, y), hits = 0;
#else
  auto [loss, hits] = trainer.step(x, y);
#endif
  std::printf("%g %g\n", loss, hits);
}
