// wrote: nn::Linear<8> fc;
// write: nn::Linear<8, 16> fc;
// expect: spelled::Linear
// first-error: a layer's sizes are template arguments
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Linear<8, 16> layer;
#else
  nn::Linear<8> layer;
#endif
  constexpr auto operator()(auto x) const { return layer(x); }
};
int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 8>);
}
