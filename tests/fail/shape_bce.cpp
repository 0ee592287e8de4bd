// wrote: return bce_with_logits(x, y);
// write: return bce_with_logits(select<1, 0>(x), y);
// expect: Shape<4, 2>
// expect: Shape<4>
// first-error: the shapes differ, and this operation does not broadcast
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return bce_with_logits(select<1, 0>(x), y);
#else
        return bce_with_logits(x, y);
#endif
      },
      in<f32, 4, 2>, in<f32, 4>);
}
