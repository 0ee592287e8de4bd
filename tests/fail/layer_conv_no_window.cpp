// wrote: nn::Conv2d<3, 8> conv;
// write: nn::Conv2d<3, 8, 3> conv;
// expect: spelled::Conv2d
// first-error: a layer's sizes are template arguments
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Conv2d<3, 8, 3> layer;
#else
  nn::Conv2d<3, 8> layer;
#endif
  constexpr auto operator()(auto x) const { return layer(x); }
};
int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 3, 8, 8>);
}
