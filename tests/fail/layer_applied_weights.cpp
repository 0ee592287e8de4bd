// wrote: auto h = nn::Linear<8, 8>(x);
// write: auto h = a(x);
// expect: Shape<8, 8>
// first-error: a layer is made before it is called, and takes its values in the call
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 8> a, b;
  constexpr auto operator()(const auto& x) const {
#ifdef WEFT_FIXED
    auto h = a(x);
    return b(h);
#else
    auto h = nn::Linear<8, 8>(x);
    return b(x);
#endif
  }
};

int main() {
  Model<Net> model(Cpu{}, seed{1});
  auto f = compile(
      model, [](const auto& net, const auto& x) { return net(x); }, in<f32, 2, 8>);
}
