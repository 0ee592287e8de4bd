// wrote: nn::GELU act{.approximate = "tanh"}
// write: nn::GELUTanh act
// expect: spelled::approximate
// nvcc: has no field "
// first-error: GELU(approximate="tanh") is a layer of its own
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::GELUTanh act;
#else
  nn::GELU act{.approximate = "tanh"};
#endif
  constexpr auto operator()(auto x) const { return act(x); }
};

int main() {
  auto f = compile<Net>(Cpu{}, in<f32, 4, 8>);
  (void)f;
}
