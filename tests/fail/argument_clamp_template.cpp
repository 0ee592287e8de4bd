// wrote: clamp<0, 1>(x)
// write: clamp(x, 0, 1)
// expect: spelled::clamp
// first-error: numbers that decide no shape are arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return clamp(x, 0, 1);
#else
        return clamp<0, 1>(x);
#endif
      },
      in<f32, 4, 8>);
}
