// wrote: a.requires_grad = true
// write: grad(f)(a) in a compiled function
// expect: spelled::requires_grad
// first-error: a tensor has no gradient
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<4, 8>> a = rand<f32, 4, 8>(), b = rand<f32, 4, 8>();
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto v) { return grad([](auto w) { return sum<>(w * w); })(v); }, in<f32, 4, 8>);
  Tensor<f32, Shape<4, 8>> g = f(a);
#else
  a.requires_grad = true;
#endif
}
