// wrote: auto h = nn::Softmax<1>(a(x));
// write: auto h = nn::Softmax<1>{}(a(x));
// expect: Shape<2, 8>
// first-error: a layer is made before it is called, and takes its values in the call
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 8> a, b;
  constexpr auto operator()(const auto& x) const {
#ifdef WEFT_FIXED
    auto h = nn::Softmax<1>{}(a(x));
    return b(h);
#else
    auto h = nn::Softmax<1>(a(x));
    return b(x);
#endif
  }
};

int main() {
  Model<Net> model(Cpu{}, seed{1});
  auto f = compile(
      model, [](const auto& net, const auto& x) { return net(x); }, in<f32, 2, 8>);
}
