// expect: the operation is not defined for this dtype
// expect: Conv
// expect: int
// first-error: the operation is not defined for this dtype
#include "weft/exec/function.hpp"
#include "weft/ops/nn/conv.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return conv2d(cast<f32>(x), cast<f32>(y));
#else
        return conv2d(x, y);
#endif
      },
      in<i32, 1, 2, 6, 6>, in<i32, 3, 2, 3, 3>);
  static_cast<void>(f);
}
