// wrote: return dynamic_slice<2, 8>(x, i, 0) + y;
// write: return dynamic_slice<2, 8>(x, select<0, 0>(i), 0) + y;
// expect: Shape<2>
// first-error: an offset is one integer: a C++ integer, or
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y, auto i) {
#ifdef WEFT_FIXED
        return dynamic_slice<2, 8>(x, select<0, 0>(i), 0) + y;
#else
        return dynamic_slice<2, 8>(x, i, 0) + y;
#endif
      },
      in<f32, 4, 8>, in<f32>, in<i32, 2>);
}
