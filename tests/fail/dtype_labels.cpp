// wrote: return cross_entropy(x, y);
// write: return cross_entropy(x, cast<i64>(y));
// expect: float
// first-error: cross_entropy: labels must be integers (i32 or i64)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return cross_entropy(x, cast<i64>(y));
#else
        return cross_entropy(x, y);
#endif
      },
      in<f32, 4, 8>, in<f32, 4>);
}
