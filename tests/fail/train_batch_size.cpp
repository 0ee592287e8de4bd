// wrote: ... 8>, in<i64, 5>,
// write: ... 8>, in<i64, 4>,
// expect: Shape<4, 3>
// expect: Shape<5>
// first-error: cross_entropy: labels must have the logits' shape without its last
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
      in<i64, 4>, optim::AdamW{});
#else
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x, auto y) { return cross_entropy(net(x), y); }, in<f32, 4, 8>,
      in<i64, 5>, optim::AdamW{});
#endif
}
