// expect: make_trainer: no gradient reaches a trained parameter
// expect: head.bias
// first-error: make_trainer: no gradient reaches a trained parameter
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> body{};
  nn::Linear<3, 2> head{};
  constexpr auto operator()(auto x) const {
#ifdef WEFT_FIXED
    return head(body(x));
#else
    return linear(body(x), head.weight);
#endif
  }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x) { return mean<>(m(x)); }, in<f32, 4, 8>, optim::AdamW{});
  trainer.step(static_cast<const float*>(nullptr));
}
