// wrote: masked_fill(cast<i32>(x), x > 0, 0.5f)
// write: masked_fill(x, x > 0, 0.5f)
// expect: MaskedFillF, float, int
// first-error: the tensor is of integers and the number or value is floating
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
