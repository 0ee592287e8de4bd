// expect: the operation is not defined for this dtype
// expect: ShiftLeft
// first-error: the operation is not defined for this dtype
#include "weft/exec/function.hpp"
#include "weft/ops/math/special.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return bitwise_left_shift(cast<i32>(x), 1) + y;
#else
        return bitwise_left_shift(x, 1) + y;
#endif
      },
      in<f32, 4>, in<f32, 4>);
  static_cast<void>(f);
}
