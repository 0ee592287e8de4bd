// wrote: triplet_margin_loss(x, y)
// write: triplet_margin_loss(x, y, z)
// expect: spelled::triplet_margin_loss
// first-error: the operation does not take so many operands
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y, auto z) {
#ifdef WEFT_FIXED
        return triplet_margin_loss(x, y, z);
#else
        return triplet_margin_loss(x, y);
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>, in<f32, 4, 8>);
}
