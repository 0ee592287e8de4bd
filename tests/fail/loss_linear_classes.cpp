// expect: linear_cross_entropy takes
// expect: LinearClasses
// expect: Shape<4, 3>
// first-error: linear_cross_entropy takes
#include "weft/exec/function.hpp"
#include "weft/ops/loss/linear_cross_entropy.hpp"
#include "weft/ops/shape/rearrange.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return linear_cross_entropy(x, x, argmax<1>(x)); }, in<f32, 4, 3>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return linear_cross_entropy(x, transpose<0, 1>(x), argmax<1>(x)); }, in<f32, 4, 3>);
#endif
  static_cast<void>(f);
}
