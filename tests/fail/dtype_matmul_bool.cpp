// expect: the operation is not defined for this dtype
// expect: Matmul
// expect: bool
// first-error: the operation is not defined for this dtype
#include "weft/exec/function.hpp"
#include "weft/ops/linalg/matmul.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return matmul(cast<f32>(x), cast<f32>(y));
#else
        return matmul(x, y);
#endif
      },
      in<bool, 4, 4>, in<bool, 4, 4>);
  static_cast<void>(f);
}
