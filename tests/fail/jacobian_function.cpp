// wrote: return jacrev([](auto h) { return h * h; }, x);
// write: return jacrev([](auto h) { return h * h; })(x);
// expect: Shape<4>
// first-error: grad, value_and_grad, vjp, jvp, jacrev, jacfwd, hessian and vmap take the function alone
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return jacrev([](auto h) { return h * h; })(x);
#else
        return jacrev([](auto h) { return h * h; }, x);
#endif
      },
      in<f32, 4>);
}
