// wrote: if (x > 0) return x; return x * 2;
// write: return where(x > 0, x, x * 2);
// expect: Shape<4, 8>
// first-error: a traced value has no truth value while the program compiles: write
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return where(x > 0, x, x * 2);
#else
        if (x > 0) return x;
        return x * 2;
#endif
      },
      in<f32, 4, 8>);
}
