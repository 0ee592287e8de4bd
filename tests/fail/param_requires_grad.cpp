// wrote: fc.weight.requires_grad = false
// write: nn::Frozen<nn::Linear<8, 4>> fc{}
// expect: spelled::requires_grad
// first-error: a parameter is trained unless it is frozen
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Frozen<nn::Linear<8, 4>> fc{};
  constexpr auto operator()(auto x) const { return fc(x); }
#else
  nn::Linear<8, 4> fc{};
  constexpr auto operator()(auto x) const {
    fc.weight.requires_grad = false;
    return fc(x);
  }
#endif
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
