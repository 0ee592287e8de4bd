// wrote: return max<1>(x, true);
// write: return max<1>(x, keepdim);
// expect: max
// first-error: options are words, sum<1>(x, keepdim)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return max<1>(x, keepdim);
#else
        return max<1>(x, true);
#endif
      },
      in<f32, 4, 8>);
}
