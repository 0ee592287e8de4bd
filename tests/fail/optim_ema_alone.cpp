// wrote: optim::AdamW{.lr = 1e-3f}, optim::ema(0.99f)
// write: optim::ema(optim::AdamW{.lr = 1e-3f}, 0.99f)
// expect: float
// first-error: ema and swa: the optimiser is the first argument
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto trainer = make_trainer<nn::Linear<8, 4>>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 8>, in<f32, 2, 4>,
#ifdef WEFT_FIXED
      optim::ema(optim::AdamW{.lr = 1e-3f}, 0.99f)
#else
      optim::AdamW{.lr = 1e-3f}, optim::ema(0.99f)
#endif
  );
}
