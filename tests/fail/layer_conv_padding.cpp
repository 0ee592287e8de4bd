// wrote: nn::Conv2d<3, 8, 3> conv{.padding = 1}
// write: nn::Conv2d<3, 8, 3, nn::ConvOptions{.padding = 1}> conv
// expect: spelled::padding
// nvcc: has no field "
// first-error: stride and padding are the layer's template arguments
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Conv2d<3, 8, 3, nn::ConvOptions{.padding = 1}> conv;
#else
  nn::Conv2d<3, 8, 3> conv{.padding = 1};
#endif
  constexpr auto operator()(auto x) const { return conv(x); }
};

int main() {
  auto f = compile<Net>(Cpu{}, in<f32, 2, 3, 8, 8>);
  (void)f;
}
