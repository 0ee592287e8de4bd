// wrote: full<u8, 4>(300)
// write: full<i32, 4>(300)
// expect: Shape<4>
// first-error: as 300 is none of u8
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return cast<i32>(x) * full<i32, 4>(300);
#else
        return cast<u8>(x) * full<u8, 4>(300);
#endif
      },
      in<f32, 4>);
}
