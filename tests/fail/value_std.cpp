// wrote: x.std(1)
// write: stddev<1>(x)
// expect: spelled::std
// first-error: an operation is a function, whose sizes and axes are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return stddev<1>(x);
#else
        return x.std(1);
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
