// wrote: stack<0>(a, b) of (4), (5)
// write: cat<0>(a, b)
// expect: stack puts operands of one shape
// first-error: stack puts operands of one shape along a new axis
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto a, auto b) {
#ifdef WEFT_FIXED
        return cat<0>(a, b);
#else
        return stack<0>(a, b);
#endif
      },
      in<f32, 4>, in<f32, 5>);
}
