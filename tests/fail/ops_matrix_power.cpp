// wrote: matrix_power<0>(x)
// write: eye<f32, 4>()
// expect: MatrixPowerOp<0>
// first-error: the power is 1 or more
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + eye<f32, 4>();
#else
        return x + matrix_power<0>(x);
#endif
      },
      in<f32, 4, 4>);
}
