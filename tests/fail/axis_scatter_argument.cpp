// wrote: return scatter(x, 1, i, y);
// write: return scatter<1>(x, i, y);
// expect: spelled::scatter
// first-error: axes and sizes are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto i, auto y) {
#ifdef WEFT_FIXED
        return scatter<1>(x, i, y);
#else
        return scatter(x, 1, i, y);
#endif
      },
      in<f32, 4, 8>, in<i64, 4, 8>, in<f32, 4, 8>);
}
