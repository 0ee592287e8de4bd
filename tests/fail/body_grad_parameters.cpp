// wrote: return grad([](auto h, auto w) { return sum(h * w); })(x);
// write: return grad([](auto h, auto w) { return sum(h * w); })(x, x);
// expect: Shape<4, 8>
// first-error: does not take what it is called with
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return grad([](auto h, auto w) { return sum(h * w); })(x, x);
#else
        return grad([](auto h, auto w) { return sum(h * w); })(x);
#endif
      },
      in<f32, 4, 8>);
}
