// wrote: return mean(x, {0, 1});
// write: return mean<0, 1>(x);
// expect: Shape<4, 8>
// first-error: axes and sizes are template arguments, known while compiling: write
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return mean<0, 1>(x);
#else
        return mean(x, {0, 1});
#endif
      },
      in<f32, 4, 8>);
}
