// wrote: masked_fill(cast<u8>(x), x > 0, -1)
// write: masked_fill(cast<i32>(x), x > 0, -1)
// expect: Shape<4>
// first-error: make it a tensor of another dtype
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return masked_fill(cast<i32>(x), x > 0, -1);
#else
        return masked_fill(cast<u8>(x), x > 0, -1);
#endif
      },
      in<f32, 4>);
}
