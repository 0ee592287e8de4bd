// expect: the operation is not defined for this dtype
// expect: bit_and
// expect: float
// first-error: the operation is not defined for this dtype
#include "weft/exec/function.hpp"
#include "weft/ops/math/pointwise.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return cast<i32>(x) & cast<i32>(y);
#else
        return x & y;
#endif
      },
      in<f32, 4>, in<f32, 4>);
  static_cast<void>(f);
}
