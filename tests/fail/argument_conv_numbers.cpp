// wrote: conv2d(x, w, b, 1, 1)
// write: conv2d<ConvOptions{.padding = 1}>(x, w, b)
// expect: spelled::conv2d
// first-error: windows and settings are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y, auto z) {
#ifdef WEFT_FIXED
        return conv2d<ConvOptions{.padding = 1}>(x, y, z);
#else
        return conv2d(x, y, z, 1, 1);
#endif
      },
      in<f32, 2, 3, 8, 8>, in<f32, 6, 3, 3, 3>, in<f32, 6>);
}
