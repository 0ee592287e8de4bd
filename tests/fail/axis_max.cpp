// wrote: return max(x, 0.5f);
// write: return maximum(x, 0.5f);
// expect: Shape<4, 8>
// first-error: max and min reduce: of two operands write maximum(x, y) and
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return maximum(x, 0.5f);
#else
        return max(x, 0.5f);
#endif
      },
      in<f32, 4, 8>);
}
