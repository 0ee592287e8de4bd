// wrote: glu(x, 1)
// write: glu<1>(x)
// expect: spelled::glu
// first-error: axes and sizes are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return glu<1>(x);
#else
        return glu(x, 1);
#endif
      },
      in<f32, 4, 8>);
}
