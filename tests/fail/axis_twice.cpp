// wrote: return sum<1, 1>(x);
// write: return sum<1>(x);
// expect: GivenAxis<1>
// first-error: an axis is named twice
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return sum<1>(x);
#else
        return sum<1, 1>(x);
#endif
      },
      in<f32, 4, 8>);
}
