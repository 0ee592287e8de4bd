// wrote: power(x, 2)
// write: pow(x, 2)
// expect: spelled::power
// first-error: the operation has another name
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return pow(x, 2);
#else
        return power(x, 2);
#endif
      },
      in<f32, 4, 8>);
}
