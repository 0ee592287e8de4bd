// wrote: return x + "1";
// write: return x + 1;
// expect: Shape<4, 8>
// first-error: an operand is neither an expression, a parameter, a tensor nor a
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + 1;
#else
        return x + "1";
#endif
      },
      in<f32, 4, 8>);
}
