// expect: the operation is not defined for this dtype
// expect: floor
// expect: bool
// first-error: the operation is not defined for this dtype
#include "weft/exec/function.hpp"
#include "weft/ops/math/pointwise.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return floor(cast<f32>(x)) + y;
#else
        return floor(x) + y;
#endif
      },
      in<bool, 4>, in<f32, 4>);
  static_cast<void>(f);
}
