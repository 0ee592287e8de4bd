// wrote: argmax<0, 1>(x)
// write: argmax<1>(x)
// expect: ArgReduceOp
// first-error: take one axis, argmax<1>(x)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return argmax<1>(x);
#else
        return argmax<0, 1>(x);
#endif
      },
      in<f32, 4, 8>);
}
