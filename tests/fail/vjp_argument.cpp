// wrote: return vjp([](auto h) { return h * h; }, x)(x);
// write: return vjp([](auto h) { return h * h; })(x, x);
// expect: Shape<4, 8>
// first-error: take the function alone and return one: write grad(f)(x)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return vjp([](auto h) { return h * h; })(x, x);
#else
        return vjp([](auto h) { return h * h; }, x)(x);
#endif
      },
      in<f32, 4, 8>);
}
