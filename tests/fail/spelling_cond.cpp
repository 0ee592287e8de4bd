// wrote: cond(sum(x) > 0, f, g, x)
// write: where(sum(x) > 0, f(x), g(x))
// expect: spelled::cond
// first-error: the transformation has another name
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return where(sum(x) > 0, 2 * x, -x);
#else
        return cond(
            sum(x) > 0, [](auto h) { return 2 * h; }, [](auto h) { return -h; }, x);
#endif
      },
      in<f32, 8>);
}
