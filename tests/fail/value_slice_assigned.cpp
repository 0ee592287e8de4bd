// wrote: slice<0, 0, 2>(h) = y;
// write: h = slice_scatter<0, 0, 2>(h, y);
// expect: Shape<2, 8>
// first-error: what an operation gives is a new value
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        auto h = x;
        h = slice_scatter<0, 0, 2>(h, y);
        return h;
#else
        auto h = x;
        slice<0, 0, 2>(h) = y;
        return h;
#endif
      },
      in<f32, 4, 8>, in<f32, 2, 8>);
}
