// wrote: return cat(x, y, 1);
// write: return cat<1>(x, y);
// expect: Shape<4, 8>
// first-error: the axis is a template argument: write cat<1>(a, b) and stack<1>(a, b)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return cat<1>(x, y);
#else
        return cat(x, y, 1);
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
