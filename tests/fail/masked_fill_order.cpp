// wrote: masked_fill(x < 0, x, 0.0f)
// write: masked_fill(x, x < 0, 0.0f)
// expect: float
// first-error: masked_fill(x, mask, value): the mask is the second argument
#include "weft/exec/function.hpp"
#include "weft/ops/math/logic.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return masked_fill(x, x < 0, 0.0f);
#else
        return masked_fill(x < 0, x, 0.0f);
#endif
      },
      in<f32, 4>);
}
