// wrote: return b(nn::Softmax<1>(a(x)));
// write: return b(nn::Softmax<1>{}(a(x)));
// expect: Softmax<1>
// first-error: an operand is a layer or another object, which is no value: call it with one
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 8> a, b;
  constexpr auto operator()(const auto& x) const {
#ifdef WEFT_FIXED
    return b(nn::Softmax<1>{}(a(x)));
#else
    return b(nn::Softmax<1>(a(x)));
#endif
  }
};

int main() {
  Model<Net> model(Cpu{}, seed{1});
  auto f = compile(
      model, [](const auto& net, const auto& x) { return net(x); }, in<f32, 2, 8>);
}
