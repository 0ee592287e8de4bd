// wrote: narrow<0, 1>(x, i)
// write: dynamic_slice<1, 8>(x, i, 0)
// expect: spelled::narrow
// first-error: the axis, the start and the length are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto i) {
#ifdef WEFT_FIXED
        return dynamic_slice<1, 8>(x, i, 0);
#else
        return narrow<0, 1>(x, i);
#endif
      },
      in<f32, 4, 8>, in<i64>);
}
