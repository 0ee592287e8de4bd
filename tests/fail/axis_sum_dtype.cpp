// wrote: return sum<f64>(x);
// write: return sum<>(cast<f64>(x));
// expect: spelled::sum
// first-error: the dtype is the operand's
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return sum<>(cast<f64>(x));
#else
        return sum<f64>(x);
#endif
      },
      in<f32, 4, 8>);
}
