// wrote: softmax<1, f64>(x)
// write: softmax<1>(cast<f64>(x))
// expect: spelled::softmax
// first-error: the dtype is the operand's
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return softmax<1>(cast<f64>(x));
#else
        return softmax<1, f64>(x);
#endif
      },
      in<f32, 4, 8>);
}
