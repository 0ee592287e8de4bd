// wrote: for (...) all = cat<1>(all, x);
// write: auto all = cat<1>(x, x, x);
// expect: Shape<4, 16>
// first-error: in place of a loop that grows one
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto all = cat<1>(x, x, x);
#else
        auto all = x;
        for (int i = 0; i < 2; ++i) all = cat<1>(all, x);
#endif
        return all;
      },
      in<f32, 4, 8>);
}
