// wrote: return x.to(1);
// write: return cast<f16>(x);
// expect: Shape<4, 8>
// first-error: a traced value has no .to(), .type(), .cuda() or .cpu(): write
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return cast<f16>(x);
#else
        return x.to(1);
#endif
      },
      in<f32, 4, 8>);
}
