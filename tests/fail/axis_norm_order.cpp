// wrote: return norm<1>(x, 1);
// write: return norm<1>(x, order<1>);
// expect: spelled::norm
// first-error: the order of a norm is a word
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return norm<1>(x, order<1>);
#else
        return norm<1>(x, 1);
#endif
      },
      in<f32, 4, 8>);
}
