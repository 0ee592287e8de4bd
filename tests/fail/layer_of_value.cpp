// wrote: fc2(nn::ReLU(fc1(x)))
// write: fc2(nn::ReLU{}(fc1(x)))
// expect: nn::
// first-error: a layer
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const {
#ifdef WEFT_FIXED
    return fc2(nn::ReLU{}(fc1(x)));
#else
    return fc2(nn::ReLU(fc1(x)));
#endif
  }
};

int main() {
  Model<Net> model{Cpu{}, 0};
  auto f = compile(
      model, [](const auto& m, auto... x) { return m(x...); }, in<f32, 4, 8>);
}
