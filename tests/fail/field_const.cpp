// wrote: const nn::Linear<8, 3> fc
// write: nn::Linear<8, 3> fc
// expect: const weft::
// first-error: a layer, parameter or buffer in a model is not const
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Linear<8, 3> fc;
#else
  const nn::Linear<8, 3> fc;
#endif
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto f = compile<Net>(Cpu{}, in<f32, 4, 8>);
  (void)f;
}
