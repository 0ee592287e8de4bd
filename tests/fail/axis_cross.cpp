// wrote: cross(x, y, 0)
// write: cross<0>(x, y)
// expect: spelled::cross
// expect: Shape<3, 8>
// first-error: axes and sizes are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return cross<0>(x, y);
#else
        return cross(x, y, 0);
#endif
      },
      in<f32, 3, 8>, in<f32, 3, 8>);
}
