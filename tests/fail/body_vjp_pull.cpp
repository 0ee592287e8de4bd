// wrote: auto [y, pull] = vjp(f)(x)
// write: vjp(f)(x, cotangent)
// expect: Vjp<
// first-error: vjp: the function's arguments come first and the cotangent of its result last
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto g) {
#ifdef WEFT_FIXED
        return vjp([](auto a) { return exp(a); })(x, g);
#else
        auto [y, pull] = vjp([](auto a) { return exp(a); })(x);
        return pull(g);
#endif
      },
      in<f32, 4>, in<f32, 4>);
}
