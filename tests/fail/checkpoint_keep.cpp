// expect: checkpoint::keep<predicate>: the predicate is constexpr and takes the name of an operation
// first-error: checkpoint::keep<predicate>: the predicate is constexpr and takes the name of an operation
#include <array>

#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Net {
  std::array<nn::Linear<8, 8>, 2> fc;
};

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m.fc[1](m.fc[0](x)), y); }, in<f32, 4, 8>,
      in<f32, 4, 8>, optim::AdamW{},
      checkpoint::keep<[](std::string_view op, const Dims&) { return op == "dot"; }>);
#else
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m.fc[1](m.fc[0](x)), y); }, in<f32, 4, 8>,
      in<f32, 4, 8>, optim::AdamW{}, checkpoint::keep<[](const Dims& shape) { return shape.rank == 2; }>);
#endif
}
