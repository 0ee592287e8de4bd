// wrote: 2 ** x
// write: pow(2, x)
// expect: Shape<4, 8>
// expect: pow(x, 2)
// first-error: C++ has no ** for powers
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return pow(2, x);
#else
        return 2 * *x;
#endif
      },
      in<f32, 4, 8>);
}
