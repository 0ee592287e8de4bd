// wrote: x.requires_grad = true
// write: grad(f)(x)
// expect: spelled::requires_grad
// first-error: grad(f)(x) is the gradient of any function
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return grad([](auto v) { return sum<>(v * v); })(x) + y;
#else
        x.requires_grad = true;
        return x + y;
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
