// wrote: return grad([](auto) { return 1.0f; })(x);
// write: return grad([](auto h) { return sum(h); })(x);
// expect: float
// first-error: returns a plain number
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return grad([](auto h) { return sum(h); })(x);
#else
        return grad([](auto) { return 1.0f; })(x);
#endif
      },
      in<f32, 4, 8>);
}
