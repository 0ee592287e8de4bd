// wrote: return cumsum(x);
// write: return cumsum<1>(x);
// expect: spelled::cumsum
// first-error: axes and sizes are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return cumsum<1>(x);
#else
        return cumsum(x);
#endif
      },
      in<f32, 4, 8>);
}
