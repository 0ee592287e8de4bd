// wrote: narrow(x, 0, start, 3)
// write: dynamic_slice<3, 8>(x, start, 0)
// expect: dynamic_slice
// first-error: the axis, the start and the length are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto start) {
#ifdef WEFT_FIXED
        return dynamic_slice<3, 8>(x, start, 0);
#else
        return narrow(x, 0, start, 3);
#endif
      },
      in<f32, 4, 8>, in<i32>);
}
