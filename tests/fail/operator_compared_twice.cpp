// wrote: where(0 < x < 1, x, 0)
// write: where((0 < x) & (x < 1), x, 0)
// expect: Expr<bool
// first-error: what a comparison gives is compared with a number
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return where((0 < x) & (x < 1), x, 0);
#else
        return where(0 < x < 1, x, 0);
#endif
      },
      in<f32, 4, 8>);
}
