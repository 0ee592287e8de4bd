// wrote: return x + a;
// write: return x + a(x);
// expect: Linear<8, 8
// first-error: an operand is a layer or another object, which is no value: call it with one
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 8> a, b;
  constexpr auto operator()(const auto& x) const {
#ifdef WEFT_FIXED
    return x + a(x);
#else
    return x + a;
#endif
  }
};

int main() {
  Model<Net> model(Cpu{}, seed{1});
  auto f = compile(
      model, [](const auto& net, const auto& x) { return net(x); }, in<f32, 2, 8>);
}
