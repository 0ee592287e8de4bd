// wrote: return index_select<0>(x, y);
// write: return index_select<0>(x, cast<i64>(y));
// expect: float
// first-error: the index must be integers (i32 or i64)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return index_select<0>(x, cast<i64>(y));
#else
        return index_select<0>(x, y);
#endif
      },
      in<f32, 4, 8>, in<f32, 2>);
}
