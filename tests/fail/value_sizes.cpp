// wrote: return x / x.sizes()[0];
// write: return x / x.extent(0);
// expect: spelled::sizes
// first-error: the shape is part of the type
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x / x.extent(0);
#else
        return x / x.sizes()[0];
#endif
      },
      in<f32, 4, 8>);
}
