// wrote: nn::functional::dropout2d(x, 10)
// write: nn::functional::dropout2d(x, 0.1f)
// expect: FunctionSource
// first-error: the rate of a dropout is the share
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return nn::functional::dropout2d(x, 0.1f);
#else
        return nn::functional::dropout2d(x, 10);
#endif
      },
      in<f32, 4, 8>);
}
