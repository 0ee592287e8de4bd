// wrote: auto [y, dy] = jvp(f)(cast<i64>(x), x), of integers
// write: auto [y, dy] = jvp(f)(x, x)
// expect: Expr<long
// first-error: the argument to differentiate by must be a floating-point tensor
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        const auto [y, dy] = jvp([](auto z) { return z * z; })(x, x);
#else
        const auto [y, dy] = jvp([](auto z) { return z * z; })(cast<i64>(x), x);
#endif
        return y + dy;
      },
      in<f32, 8>);
}
