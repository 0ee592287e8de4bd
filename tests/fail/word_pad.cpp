// wrote: return pad<1, 1>(x, "reflect");
// write: return pad<PaddingMode::reflect, 1, 1>(x);
// expect: Shape<4, 8>
// first-error: an operand is neither an expression, a parameter, a tensor nor a
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return pad<PaddingMode::reflect, 1, 1>(x);
#else
        return pad<1, 1>(x, "reflect");
#endif
      },
      in<f32, 4, 8>);
}
