// wrote: median<0, 1>(x)
// write: median(x)
// expect: GivenAxis<0>
// first-error: take one axis, argmax<1>(x)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return median(x);
#else
        return median<0, 1>(x);
#endif
      },
      in<f32, 4, 8>);
}
