// wrote: x * w + full<f32, 4, 8>()
// write: x * w + full<f32, 4, 8>(1.0f)
// expect: Shape<4, 8>
// first-error: full takes the number
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto w) {
#ifdef WEFT_FIXED
        return x * w + full<f32, 4, 8>(1.0f);
#else
        return x * w + full<f32, 4, 8>();
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
