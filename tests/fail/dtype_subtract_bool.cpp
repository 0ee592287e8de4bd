// expect: the operation is not defined for this dtype
// expect: sub
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
        return x ^ y;
#else
        return x - y;
#endif
      },
      in<bool, 4>, in<bool, 4>);
  static_cast<void>(f);
}
