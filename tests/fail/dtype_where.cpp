// wrote: return where(x, x, 0);
// write: return where(x > 0, x, 0);
// expect: float
// first-error: where: the condition must be boolean: write where(x != 0, a, b)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return where(x > 0, x, 0);
#else
        return where(x, x, 0);
#endif
      },
      in<f32, 4, 8>);
}
