// wrote: return cat<0>(x, y);
// write: return cat<1>(x, y);
// expect: Shape<4, 8>
// expect: Shape<4, 3>
// first-error: the shapes cannot be joined: they must agree in all axes but the one
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return cat<1>(x, y);
#else
        return cat<0>(x, y);
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 3>);
}
