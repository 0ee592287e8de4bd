// wrote: x.copy_(2 * x); return x;
// write: auto h = 2 * x; return h;
// expect: Shape<4, 8>
// first-error: a traced value is not changed in place
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto h = 2 * x;
        return h;
#else
        x.copy_(2 * x);
        return x;
#endif
      },
      in<f32, 4, 8>);
}
