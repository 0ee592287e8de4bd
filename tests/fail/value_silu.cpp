// wrote: x.silu() + y.clamp_min(0)
// write: silu(x) + clamp_min(y, 0)
// expect: spelled::silu
// first-error: an operation is a function, whose sizes and axes are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return silu(x) + clamp_min(y, 0);
#else
        return x.silu() + y.clamp_min(0);
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
