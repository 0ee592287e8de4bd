// wrote: x.add_(1.0f); return x;
// write: return x + 1.0f;
// expect: Shape<4, 8>
// first-error: a traced value is not changed in place: write x = x + y, or auto h =
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + 1.0f;
#else
        x.add_(1.0f);
        return x;
#endif
      },
      in<f32, 4, 8>);
}
