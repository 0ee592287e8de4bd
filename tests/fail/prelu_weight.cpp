// expect: prelu: the weight is one number, or a vector with one for each place of x's axis 1
// expect: Shape<2, 3, 5>
// expect: Shape<5>
// first-error: prelu: the weight is one number
#include "weft/exec/function.hpp"
#include "weft/ops/nn/activation.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto w) { return prelu(x, w); }, in<f32, 2, 3, 5>, in<f32, 3>);
#else
  auto f = compile(
      Cpu{}, [](auto x, auto w) { return prelu(x, w); }, in<f32, 2, 3, 5>, in<f32, 5>);
#endif
  static_cast<void>(f);
}
