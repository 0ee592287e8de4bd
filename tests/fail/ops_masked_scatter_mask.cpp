// wrote: masked_scatter(x, mask, y)
// write: masked_scatter(x, mask != 0, y)
// expect: MaskedScatterOp
// first-error: the mask is boolean, true where an element is replaced
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto mask, auto y) {
#ifdef WEFT_FIXED
        return masked_scatter(x, mask != 0, y);
#else
        return masked_scatter(x, mask, y);
#endif
      },
      in<f32, 4>, in<f32, 4>, in<f32, 4>);
}
