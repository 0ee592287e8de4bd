// wrote: norm(conv)
// write: norm(conv(x))
// expect: nn::Conv
// first-error: an operand is a layer or another object
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Conv2d<3, 8, 3> conv;
  nn::BatchNorm2d<8> norm;
  constexpr auto operator()(auto x) const {
#ifdef WEFT_FIXED
    return norm(conv(x));
#else
    return norm(conv);
#endif
  }
};

int main() {
  Model<Net> model{Cpu{}, 0};
  auto f = compile(
      model, [](const auto& m, auto... x) { return m(x...); }, in<f32, 4, 3, 8, 8>);
}
