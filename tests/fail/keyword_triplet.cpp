// wrote: triplet_margin_loss(x, y, y, {.margin = 1})
// write: triplet_margin_loss(x, y, y, 1)
// expect: spelled::triplet_margin_loss
// first-error: there are no keyword arguments in braces
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return triplet_margin_loss(x, y, y, 1);
#else
        return triplet_margin_loss(x, y, y, {.margin = 1});
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
