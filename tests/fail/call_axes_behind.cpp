// wrote: layer_norm(x, 0, 1)
// write: layer_norm<4, 8>(x)
// expect: spelled::layer_norm
// nvcc: no form of this operation
// first-error: no form of this operation
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return layer_norm<4, 8>(x);
#else
        return layer_norm(x, 0, 1);
#endif
      },
      in<f32, 4, 8>);
}
