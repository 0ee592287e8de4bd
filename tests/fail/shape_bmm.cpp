// wrote: return bmm(x, y);
// write: return bmm(x, transpose<1, 2>(y));
// expect: Shape<2, 4, 8>
// first-error: the extents of the contracted axes differ
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return bmm(x, transpose<1, 2>(y));
#else
        return bmm(x, y);
#endif
      },
      in<f32, 2, 4, 8>, in<f32, 2, 4, 8>);
}
