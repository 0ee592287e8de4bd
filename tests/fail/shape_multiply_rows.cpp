// wrote: return x * y;
// write: return x * unsqueeze<1>(y);
// expect: Shape<4, 8>
// expect: Shape<4>
// first-error: the shapes do not broadcast: two extents of the same axis must be
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return x * unsqueeze<1>(y);
#else
        return x * y;
#endif
      },
      in<f32, 4, 8>, in<f32, 4>);
}
