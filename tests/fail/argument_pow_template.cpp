// wrote: pow<2>(x)
// write: pow(x, 2)
// expect: spelled::pow
// first-error: numbers that decide no shape are arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return pow(x, 2);
#else
        return pow<2>(x);
#endif
      },
      in<f32, 4, 8>);
}
