// wrote: expand_dims(x, 0)
// write: unsqueeze<0>(x)
// expect: spelled::expand_dims
// first-error: the operation has another name
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return unsqueeze<0>(x);
#else
        return expand_dims(x, 0);
#endif
      },
      in<f32, 4, 8>);
}
