// wrote: x.normal_(0, 0.02)
// write: normal<f32, 8>(0, 0.02)
// expect: spelled::normal_
// first-error: a traced value is not filled in place
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + normal<f32, 8>(0, 0.02);
#else
        return x.normal_(0, 0.02);
#endif
      },
      in<f32, 8>);
}
