// expect: as many places as axes
// expect: MoveDimOp
// expect: Shape<2, 3, 4>
// first-error: as many places as axes
#include "weft/exec/function.hpp"
#include "weft/ops/shape/axes.hpp"
#include "weft/ops/shape/split.hpp"
#include "weft/ops/shape/stacking.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{},
      [](auto x) {
        return movedim<AxisList{0, 1}, AxisList{2, 0}>(x);
      },
      in<f32, 2, 3, 4>);
#else
  auto f = compile(
      Cpu{},
      [](auto x) {
        return movedim<AxisList{0, 1}, AxisList{2}>(x);
      },
      in<f32, 2, 3, 4>);
#endif
  static_cast<void>(f);
}
