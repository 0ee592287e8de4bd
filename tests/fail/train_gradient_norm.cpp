// wrote: optim::AdamW{});
// write: optim::AdamW{}, clip::norm(1));
// expect: None
// first-error: gradient_norm: the step computes it only to clip by it: give
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x, auto y) { return cross_entropy(net(x), y); }, in<f32, 4, 8>,
      in<i64, 4>, optim::AdamW{}, clip::norm(1));
  trainer.gradient_norm();
#else
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x, auto y) { return cross_entropy(net(x), y); }, in<f32, 4, 8>,
      in<i64, 4>, optim::AdamW{});
  trainer.gradient_norm();
#endif
}
