// wrote: smooth_l1_loss(x, y, 0)
// write: l1_loss(x, y)
// expect: Shape<4>
// first-error: l1_loss is their limit at 0
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return l1_loss(x, y);
#else
        return smooth_l1_loss(x, y, 0);
#endif
      },
      in<f32, 4>, in<f32, 4>);
}
