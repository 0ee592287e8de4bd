// wrote: nn::Linear<8, 4> fc{.bias = false};
// write: nn::Linear<8, 4, false> fc;
// expect: bool
// first-error: a parameter has no value while compiling
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Linear<8, 4, false> layer;
#else
  nn::Linear<8, 4> layer{.bias = false};
#endif
  constexpr auto operator()(auto x) const { return layer(x); }
};
int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 8>);
}
