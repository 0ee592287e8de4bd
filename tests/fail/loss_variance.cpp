// expect: gaussian_nll_loss: the variance has the shape of the means
// expect: Shape<4, 3>
// expect: Shape<3>
// first-error: gaussian_nll_loss: the variance has the shape of the means
#include "weft/exec/function.hpp"
#include "weft/ops/loss/likelihood.hpp"
#include "weft/ops/loss/regression.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto v) { return gaussian_nll_loss(x, x, v); }, in<f32, 4, 3>, in<f32, 4>);
#else
  auto f = compile(
      Cpu{}, [](auto x, auto v) { return gaussian_nll_loss(x, x, v); }, in<f32, 4, 3>, in<f32, 3>);
#endif
  static_cast<void>(f);
}
