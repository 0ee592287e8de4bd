// wrote: return clamp(x, 0);
// write: return clamp_min(x, 0);
// expect: Shape<4, 8>
// first-error: clamp takes both bounds, clamp(x, 0, 1): of one write clamp_min(x, 0)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return clamp_min(x, 0);
#else
        return clamp(x, 0);
#endif
      },
      in<f32, 4, 8>);
}
