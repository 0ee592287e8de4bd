// wrote: x = x > 0; return x;
// write: auto positive = x > 0; return positive;
// expect: Shape<4, 8>
// first-error: a value keeps its shape and dtype: write auto h = fc1(x) in place of
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto positive = x > 0;
        return positive;
#else
        x = x > 0;
        return x;
#endif
      },
      in<f32, 4, 8>);
}
