// expect: cross_entropy: labels must be integers (i32 or i64)
// expect: float
// first-error: cross_entropy: labels must be integers
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
  constexpr auto labels = in<f32, 4>;
#endif
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto label) { return cross_entropy(m(x), label); }, in<f32, 4, 8>,
      labels, optim::AdamW{});
}
