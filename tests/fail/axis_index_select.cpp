// wrote: return index_select(x, 0, y);
// write: return index_select<0>(x, y);
// expect: Shape<4, 8>
// first-error: axes and sizes are template arguments, known while compiling: write
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return index_select<0>(x, y);
#else
        return index_select(x, 0, y);
#endif
      },
      in<f32, 4, 8>, in<i64, 2>);
}
