// wrote: auto loss = mse_loss(a, b); loss.backward(); of tensors
// write: make_trainer(Cpu{}, loss, in<f32, 4, 8>, in<f32, 4, 8>), or grad(f)(a) in a compiled function
// expect: Lazy
// first-error: an expression of tensors keeps no graph
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<4, 8>> a = rand<f32, 4, 8>(), b = rand<f32, 4, 8>();
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto v, auto w) { return grad([&](auto u) { return mse_loss(u, w); })(v); }, in<f32, 4, 8>,
      in<f32, 4, 8>);
  Tensor<f32, Shape<4, 8>> g = f(a, b);
#else
  auto loss = mse_loss(a, b);
  loss.backward();
#endif
}
