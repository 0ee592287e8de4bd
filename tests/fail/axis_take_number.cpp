// wrote: return take(x, 3);
// write: return select<1, 3>(x);
// expect: take
// first-error: an index is a tensor of integers
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return select<1, 3>(x);
#else
        return take(x, 3);
#endif
      },
      in<f32, 4, 8>);
}
