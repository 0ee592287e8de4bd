// wrote: split<0>(x)
// write: split<2>(x)
// expect: GivenSize<0>
// first-error: cut an axis into one piece or more
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto [a, b] = split<2>(x);
#else
        auto [a, b] = split<0>(x);
#endif
        return a + b;
      },
      in<f32, 4, 8>);
}
