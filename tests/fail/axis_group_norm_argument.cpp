// wrote: return group_norm(x, 2);
// write: return group_norm<2>(x);
// expect: spelled::group_norm
// first-error: axes and sizes are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return group_norm<2>(x);
#else
        return group_norm(x, 2);
#endif
      },
      in<f32, 4, 8>);
}
