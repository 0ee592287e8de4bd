// expect: cross_entropy: labels must have the logits' shape without its last axis
// expect: Shape<4, 3>
// expect: Shape<5>
// first-error: cross_entropy: labels must have the logits' shape
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
#ifdef WEFT_FIXED
  constexpr auto labels = in<i32, 4>;
#else
  constexpr auto labels = in<i32, 5>;
#endif
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto label) { return cross_entropy(m(x), label); }, in<f32, 4, 8>,
      labels, optim::AdamW{});
}
