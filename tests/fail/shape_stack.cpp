// wrote: return stack<0>(x, y);
// write: return stack<0>(x, transpose<0, 1>(y));
// expect: Shape<4, 8>
// expect: Shape<8, 4>
// first-error: stack puts operands of one shape along a new axis
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return stack<0>(x, transpose<0, 1>(y));
#else
        return stack<0>(x, y);
#endif
      },
      in<f32, 4, 8>, in<f32, 8, 4>);
}
