// wrote: return nn::ReLU(a(x));
// write: return nn::ReLU{}(a(x));
// expect: ReLU
// first-error: a layer
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 8> a, b;
  constexpr auto operator()(const auto& x) const {
#ifdef WEFT_FIXED
    return nn::ReLU{}(a(x));
#else
    return nn::ReLU(a(x));
#endif
  }
};

int main() {
  Model<Net> model(Cpu{}, seed{1});
  auto f = compile(
      model, [](const auto& net, const auto& x) { return net(x); }, in<f32, 2, 8>);
}
