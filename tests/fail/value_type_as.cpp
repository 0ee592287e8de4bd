// wrote: x.type_as(y)
// write: cast<f32>(x)
// expect: spelled::type_as
// first-error: a traced value has no .to()
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return cast<f32>(x);
#else
        return x.type_as(y);
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
