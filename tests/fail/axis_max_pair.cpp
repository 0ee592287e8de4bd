// wrote: return max(x, y);
// write: return maximum(x, y);
// expect: Shape<4, 8>
// first-error: max and min reduce: of two operands write maximum(x, y) and
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return maximum(x, y);
#else
        return max(x, y);
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
