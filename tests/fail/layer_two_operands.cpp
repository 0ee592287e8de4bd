// wrote: fc(x, true), bn(x, false)
// write: fc(x), bn(x)
// expect: Shape<4, 8>
// expect: bool
// first-error: the layer takes one value and nothing else:
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::BatchNorm1d<8> bn;
#ifdef WEFT_FIXED
  constexpr auto operator()(auto x) const { return bn(x); }
#else
  constexpr auto operator()(auto x) const { return bn(x, false); }
#endif
};

int main() {
  Model<Net> model;
  auto f = compile(model, in<f32, 4, 8>);
  (void)f;
}
