// wrote: unsqueeze(x)
// write: unsqueeze<0>(x)
// expect: unsqueeze
// first-error: axes and sizes are template arguments, known while compiling
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return unsqueeze<0>(x);
#else
        return unsqueeze(x);
#endif
      },
      in<f32, 4, 8>);
}
