// wrote: return x.expand({4, 8});
// write: return expand<4, 8>(x);
// expect: spelled::expand
// first-error: an operation is a function
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return expand<4, 8>(x);
#else
        return x.expand({4, 8});
#endif
      },
      in<f32, 4, 1>);
}
