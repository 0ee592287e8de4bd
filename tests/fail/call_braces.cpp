// wrote: broadcast_to(x, {2, 4, 8})
// write: broadcast_to<2, 4, 8>(x)
// expect: spelled::broadcast_to
// nvcc: no form of this operation
// first-error: no form of this operation
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return broadcast_to<2, 4, 8>(x);
#else
        return broadcast_to(x, {2, 4, 8});
#endif
      },
      in<f32, 4, 8>);
}
