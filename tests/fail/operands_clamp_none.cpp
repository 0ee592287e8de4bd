// wrote: return clamp(x);
// write: return clamp(x, 0, 1);
// expect: spelled::clamp
// first-error: does not take so many operands
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return clamp(x, 0, 1);
#else
        return clamp(x);
#endif
      },
      in<f32, 4, 8>);
}
