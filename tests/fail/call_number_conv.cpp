// wrote: conv2d(x, 3)
// write: conv2d(x, w)
// expect: Shape<1, 2, 8, 8>
// first-error: does not take so many operands, or not of these kinds
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto w) {
#ifdef WEFT_FIXED
        return conv2d(x, w) + sum(w);
#else
        return conv2d(x, 3) + sum(w);
#endif
      },
      in<f32, 1, 2, 8, 8>, in<f32, 4, 2, 3, 3>);
}
