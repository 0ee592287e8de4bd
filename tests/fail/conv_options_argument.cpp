// wrote: conv2d(x, w, ConvOptions{.stride = 2})
// write: conv2d<ConvOptions{.stride = 2}>(x, w)
// expect: ConvOptions
// first-error: options stand in <>, as in conv2d<ConvOptions
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{1},
      [](auto x, auto w) {
#ifdef WEFT_FIXED
        return conv2d<ConvOptions{.stride = 2}>(x, w);
#else
        return conv2d(x, w, ConvOptions{.stride = 2});
#endif
      },
      in<f32, 2, 3, 8, 8>, in<f32, 4, 3, 3, 3>);
}
