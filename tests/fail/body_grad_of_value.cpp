// wrote: grad(sum(x * x))
// write: grad([](auto h) { return sum(h * h); })(x)
// expect: GradientOf
// first-error: what is returned is a function made by grad
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return grad([](auto h) { return sum(h * h); })(x);
#else
        return grad(sum(x * x));
#endif
      },
      in<f32, 8>);
}
