// wrote: auto [v, i] = max(x, 1, true);
// write: auto v = max<1>(x, keepdim);
// expect: spelled::max
// first-error: axes and sizes are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto v = max<1>(x, keepdim);
        return v;
#else
        auto [v, i] = max(x, 1, true);
        return v;
#endif
      },
      in<f32, 4, 8>);
}
