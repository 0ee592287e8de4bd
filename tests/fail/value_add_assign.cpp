// wrote: x += matmul(x, y); return x;
// write: auto h = matmul(x, y); return h;
// expect: Shape<4, 8>
// expect: Shape<4, 3>
// first-error: the shapes do not broadcast: two extents of the same axis must be
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        auto h = matmul(x, y);
        return h;
#else
        x += matmul(x, y);
        return x;
#endif
      },
      in<f32, 4, 8>, in<f32, 8, 3>);
}
