// wrote: cross(x, y)
// write: cross<0>(x, y)
// expect: CrossOp<-1>
// expect: Shape<3, 8>
// first-error: has 3 elements
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return cross<0>(x, y);
#else
        return cross(x, y);
#endif
      },
      in<f32, 3, 8>, in<f32, 3, 8>);
}
