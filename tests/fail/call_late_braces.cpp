// wrote: roll(x, 1, {0})
// write: roll<1, 0>(x)
// expect: spelled::roll
// nvcc: no form of this operation
// first-error: no form of this operation
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return roll<1, 0>(x);
#else
        return roll(x, 1, {0});
#endif
      },
      in<f32, 4, 8>);
}
