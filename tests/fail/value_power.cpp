// wrote: return x ^ 2;
// write: return pow(x, 2);
// expect: Shape<4, 8>
// first-error: ^ is the exclusive or of integers: a power is square(x), pow(x, 3)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return pow(x, 2);
#else
        return x ^ 2;
#endif
      },
      in<f32, 4, 8>);
}
