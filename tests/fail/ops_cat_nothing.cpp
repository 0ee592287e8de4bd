// wrote: cat<0>()
// write: cat<0>(x, x)
// expect: CatOp<0>
// first-error: cat and stack join one value or more
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return cat<0>(x, x);
#else
        return cat<0>();
#endif
      },
      in<f32, 4, 8>);
}
