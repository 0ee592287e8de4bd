// wrote: return grad(loss)(m, x);
// write: return nn::parameters(grad(loss)(m, x));
// expect: of a model's gradient g, nn::parameters(g)
// first-error: a compiled function returns an expression
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto f = compile<Net>(
      Cpu{},
      [](const auto& m, auto x) {
        const auto loss = [](const auto& net, auto in) { return sum(net(in)); };
#ifdef WEFT_FIXED
        return nn::parameters(grad(loss)(m, x));
#else
        return grad(loss)(m, x);
#endif
      },
      in<f32, 4, 8>);
}
