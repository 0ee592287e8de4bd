// wrote: return mean(x, 1, true);
// write: return mean<1>(x, keepdim);
// expect: mean
// first-error: options are words, and not truth values
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return mean<1>(x, keepdim);
#else
        return mean(x, 1, true);
#endif
      },
      in<f32, 4, 8>);
}
