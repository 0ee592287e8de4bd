// wrote: return loop([](auto c, auto t) { return c + t; }, 0.0f, x);
// write: return loop([](auto c, auto t) { return c + t; }, 0 * select<0, 0>(x), x);
// expect: float, weft
// first-error: a carry that is a value
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return loop([](auto c, auto t) { return c + t; }, 0 * select<0, 0>(x), x);
#else
        return loop([](auto c, auto t) { return c + t; }, 0.0f, x);
#endif
      },
      in<f32, 4, 8>);
}
