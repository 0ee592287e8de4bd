// wrote: return mse_loss(x, y, reduction::sum);
// write: return mse_loss<reduction::sum>(x, y);
// expect: spelled::mse_loss
// first-error: does not take so many operands
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return mse_loss<reduction::sum>(x, y);
#else
        return mse_loss(x, y, reduction::sum);
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
