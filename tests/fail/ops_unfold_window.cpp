// expect: the axis must exist and hold a window
// expect: Unfold
// expect: Shape<4, 8>
// first-error: the axis must exist and hold a window
#include "weft/exec/function.hpp"
#include "weft/ops/shape/axes.hpp"
#include "weft/ops/shape/split.hpp"
#include "weft/ops/shape/stacking.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return unfold<0, 4>(x); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return unfold<0, 5>(x); }, in<f32, 4, 8>);
#endif
  static_cast<void>(f);
}
