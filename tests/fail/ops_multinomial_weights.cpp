// expect: multinomial takes weights
// expect: MultinomialOp
// expect: Shape<4, 3>
// first-error: multinomial takes weights
#include "weft/exec/function.hpp"
#include "weft/ops/random/sampling.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return cast<f32>(multinomial<2>(x)); }, in<f32, 4, 3>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return cast<f32>(multinomial<2>(cast<i32>(x))); }, in<f32, 4, 3>);
#endif
  static_cast<void>(f);
}
