// expect: the shapes do not broadcast: two extents of the same axis must be equal, or one of them 1
// expect: Shape<4, 3>
// expect: Shape<4>
// first-error: the shapes do not broadcast
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};

int main() {
#ifdef WEFT_FIXED
  constexpr auto shift = in<f32, 3>;
#else
  constexpr auto shift = in<f32, 4>;
#endif
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto s) { return mean<>(m.fc(x) + s); }, in<f32, 4, 8>, shift,
      optim::AdamW{});
}
