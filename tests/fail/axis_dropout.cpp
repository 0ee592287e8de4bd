// wrote: return dropout(x, 0.5f, true);
// write: return dropout(x, 0.5f);
// expect: Shape<4, 8>
// first-error: the operation does not take so many operands, or not of these kinds:
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return dropout(x, 0.5f);
#else
        return dropout(x, 0.5f, true);
#endif
      },
      in<f32, 4, 8>);
}
