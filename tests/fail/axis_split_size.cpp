// wrote: auto [a, b] = split<1>(x, 4); return a;
// write: auto [a, b] = split<4, 1>(x); return a;
// expect: split
// first-error: an argument behind the operand does not fit
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto [a, b] = split<4, 1>(x);
        return a;
#else
        auto [a, b] = split<1>(x, 4);
        return a;
#endif
      },
      in<f32, 4, 8>);
}
