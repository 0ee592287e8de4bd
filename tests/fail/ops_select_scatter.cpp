// expect: the shape of the view
// expect: SelectScatterOp
// expect: Shape<2, 3>
// first-error: the shape of the view
#include "weft/exec/function.hpp"
#include "weft/ops/index/scatter_view.hpp"
#include "weft/ops/shape/slicing.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return select_scatter<1, 0>(x, select<1, 0>(x)); }, in<f32, 2, 3>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return select_scatter<1, 0>(x, x); }, in<f32, 2, 3>);
#endif
  static_cast<void>(f);
}
