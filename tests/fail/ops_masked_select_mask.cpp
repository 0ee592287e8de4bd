// wrote: masked_select<4>(x, mask)
// write: masked_select<4>(x, mask != 0)
// expect: MaskedSelectOp
// first-error: the mask is boolean, true where an element is taken
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto mask) {
#ifdef WEFT_FIXED
        return masked_select<4>(x, mask != 0);
#else
        return masked_select<4>(x, mask);
#endif
      },
      in<f32, 4>, in<f32, 4>);
}
