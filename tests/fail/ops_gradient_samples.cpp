// expect: more samples than
// expect: DifferencesOp
// expect: Shape<2, 3>
// first-error: more samples than
#include "weft/exec/function.hpp"
#include "weft/ops/reduce/trapezoid.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return std::get<0>(gradient<1>(x, edge_order<2>)); }, in<f32, 2, 3>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return std::get<0>(gradient<0>(x, edge_order<2>)); }, in<f32, 2, 3>);
#endif
  static_cast<void>(f);
}
