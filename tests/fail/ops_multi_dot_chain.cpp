// expect: multiplied one after another
// expect: MultiDotOp
// expect: Shape<2, 3>
// first-error: multiplied one after another
#include "weft/exec/function.hpp"
#include "weft/ops/linalg/multi_dot.hpp"
#include "weft/ops/shape/rearrange.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return multi_dot(x, transpose<0, 1>(x), x); }, in<f32, 2, 3>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return multi_dot(x, x, x); }, in<f32, 2, 3>);
#endif
  static_cast<void>(f);
}
