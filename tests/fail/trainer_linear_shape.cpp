// expect: the extents of the contracted axes differ
// expect: LinearOp
// expect: Shape<4, 16>
// expect: Shape<3, 8>
// first-error: the extents of the contracted axes differ
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
  constexpr auto image = in<f32, 4, 8>;
#else
  constexpr auto image = in<f32, 4, 16>;
#endif
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto label) { return cross_entropy(m(x), label); }, image, in<i32, 4>,
      optim::AdamW{});
}
