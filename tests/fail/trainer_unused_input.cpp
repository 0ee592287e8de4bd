// expect: make_trainer: an input is never used by the loss; pass it to ignore(x), or leave it out
// first-error: make_trainer: an input is never used by the loss
#include "weft/nn/ignore.hpp"
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
      [](const auto& m, auto x, auto label) {
#ifdef WEFT_FIXED
        ignore(label);
#else
        (void)label;
#endif
        return mean<>(m.fc(x));
      },
      in<f32, 4, 8>, in<i32, 4>, optim::AdamW{});
  trainer.step(static_cast<const float*>(nullptr), static_cast<const i32*>(nullptr));
}
