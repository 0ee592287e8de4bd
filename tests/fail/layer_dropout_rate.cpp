// wrote: nn::Dropout drop{.rate = 0.1f}
// write: nn::Dropout drop{.p = 0.1f}
// expect: spelled::rate
// nvcc: has no field "
// first-error: the probability of a dropout is its member p
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Dropout drop{.p = 0.1f};
#else
  nn::Dropout drop{.rate = 0.1f};
#endif
  constexpr auto operator()(auto x) const { return drop(x); }
};

int main() {
  auto f = compile<Net>(Cpu{}, in<f32, 4, 8>);
  (void)f;
}
