// wrote: x.device(); return x;
// write: return x;
// expect: Shape<4, 8>
// first-error: the device is the first argument of compile and make_trainer
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x;
#else
        x.device();
        return x;
#endif
      },
      in<f32, 4, 8>);
}
