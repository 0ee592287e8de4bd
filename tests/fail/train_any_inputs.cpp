// wrote: AnyTrainer<Tensor<f32, Shape<4, 8>>> any(trainer) of in<f32, 4, 8>, in<f32, 4, 1>
// write: AnyTrainer<Tensor<f32, Shape<4, 8>>, Tensor<f32, Shape<4, 1>>> any(trainer)
// expect: Trainer
// first-error: holds a trainer of these inputs
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 1> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return mse_loss(m.fc(x), y); };

int main() {
  auto make = [] {
    return make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<f32, 4, 1>, optim::SGD{.lr = 0.1f});
  };
#ifdef WEFT_FIXED
  AnyTrainer<Tensor<f32, Shape<4, 8>>, Tensor<f32, Shape<4, 1>>> any(make());
#else
  AnyTrainer<Tensor<f32, Shape<4, 8>>> any(make());
#endif
}
