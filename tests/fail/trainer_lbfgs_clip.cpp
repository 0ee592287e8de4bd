// expect: LBFGS: clipping, accumulate<N>, precision::f16, precision::f8 and comm::ddp do not go with it
// first-error: LBFGS: clipping, accumulate<N>
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/lbfgs.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m.fc(x), y); }, in<f32, 4, 8>, in<f32, 4, 3>,
      optim::LBFGS{});
#else
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m.fc(x), y); }, in<f32, 4, 8>, in<f32, 4, 3>,
      optim::LBFGS{}, clip::norm(1));
#endif
}
