// wrote: return gather(x, 1, y);
// write: return gather<1>(x, y);
// expect: Shape<4, 8>
// first-error: axes and sizes are template arguments, known while compiling: write
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return gather<1>(x, y);
#else
        return gather(x, 1, y);
#endif
      },
      in<f32, 4, 8>, in<i64, 4, 2>);
}
