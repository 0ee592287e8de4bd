// wrote: renorm<0>(x, -1)
// write: renorm<0>(x, 1)
// expect: FunctionSource
// first-error: nor is the bound of renorm
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return renorm<0>(x, 1);
#else
        return renorm<0>(x, -1);
#endif
      },
      in<f32, 4, 8>);
}
