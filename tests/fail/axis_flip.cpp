// wrote: return flip(x, {0});
// write: return flip<0>(x);
// expect: Shape<4, 8>
// first-error: axes and sizes are template arguments, known while compiling: write
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return flip<0>(x);
#else
        return flip(x, {0});
#endif
      },
      in<f32, 4, 8>);
}
