// wrote: randn_like(x, 3)
// write: randn_like(x)
// expect: randn_like
// first-error: dtype and shape are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return randn_like(x);
#else
        return randn_like(x, 3);
#endif
      },
      in<f32, 4, 8>);
}
