// wrote: return x.clamp(0, 1);
// write: return clamp(x, 0, 1);
// expect: Shape<4, 8>
// first-error: an operation is a function, whose sizes and axes are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return clamp(x, 0, 1);
#else
        return x.clamp(0, 1);
#endif
      },
      in<f32, 4, 8>);
}
