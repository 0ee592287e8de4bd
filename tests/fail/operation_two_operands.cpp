// wrote: exp(x, y)
// write: exp(x)
// expect: spelled::exp
// first-error: the operation does not take so many operands
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return exp(x) + y;
#else
        return exp(x, y);
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
