// wrote: w.grad
// write: grad(f)(w)
// expect: grad
// first-error: a tensor has no gradient:
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<3>> w{1, 2, 3};
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto v) { return grad([](auto u) { return sum(square(u)); })(v); }, in<f32, 3>);
  Tensor<f32, Shape<3>> g = f(w);
#else
  Tensor<f32, Shape<3>> g = w.grad;
#endif
  return g[0] > 2;
}
