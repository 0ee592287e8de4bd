// wrote: where(x > 1, x, 300)   (x of u8)
// write: where(x > 1, cast<i32>(x), 300)
// expect: Shape<4>
// first-error: as 300 is none of u8
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return where(x > 1, cast<i32>(x), 300);
#else
        return where(x > 1, x, 300);
#endif
      },
      in<u8, 4>);
}
