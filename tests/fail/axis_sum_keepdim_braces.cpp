// wrote: return sum<1>(x, {.keepdim = true});
// write: return sum<1>(x, keepdim);
// expect: sum
// first-error: an argument behind the operand does not fit
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return sum<1>(x, keepdim);
#else
        return sum<1>(x, {.keepdim = true});
#endif
      },
      in<f32, 4, 8>);
}
