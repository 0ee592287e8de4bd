// wrote: masked_fill(cast<i32>(x), x > 0, 0.5f)
// write: masked_fill(x, x > 0, 0.5f)
// expect: Shape<4>
// first-error: 0.5 none of i32
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return masked_fill(x, x > 0, 0.5f);
#else
        return masked_fill(cast<i32>(x), x > 0, 0.5f);
#endif
      },
      in<f32, 4>);
}
