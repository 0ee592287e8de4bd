// wrote: return dynamic_slice<0, 2>(x, i * 0.5f) + y;
// write: return dynamic_slice<0, 2>(x, cast<i64>(i * 0.5f)) + y;
// expect: float
// first-error: an offset is one integer: a C++ integer, or
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y, auto i) {
#ifdef WEFT_FIXED
        return dynamic_slice<0, 2>(x, cast<i64>(i * 0.5f)) + y;
#else
        return dynamic_slice<0, 2>(x, i * 0.5f) + y;
#endif
      },
      in<f32, 4, 8>, in<f32>, in<i32>);
}
