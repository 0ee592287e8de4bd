// expect: make_trainer: the loss must be one floating-point number: reduce it with mean<>() or sum<>()
// expect: Shape<4, 3>
// first-error: make_trainer: the loss must be one floating-point number
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{},
      [](const auto& m, auto x) {
#ifdef WEFT_FIXED
        return mean<>(m.fc(x));
#else
        return m.fc(x);
#endif
      },
      in<f32, 4, 8>, optim::AdamW{});
  trainer.step(static_cast<const float*>(nullptr));
}
