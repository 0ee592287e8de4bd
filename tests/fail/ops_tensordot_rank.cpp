// expect: the result would have more axes than a tensor may have, 8
// expect: TensorDot
// first-error: the result would have more axes
// forbid: the extents of the contracted axes differ
#include "weft/exec/function.hpp"
#include "weft/ops/linalg/diagonal.hpp"
#include "weft/ops/linalg/products.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  constexpr int contracted = 2;
#else
  constexpr int contracted = 1;  // 9 axes are left
#endif
  auto f = compile(
      Cpu{}, [](auto x, auto y) { return tensordot<contracted>(x, y); }, in<f32, 2, 2, 2, 2, 2>,
      in<f32, 2, 2, 2, 2, 2, 2>);
}
