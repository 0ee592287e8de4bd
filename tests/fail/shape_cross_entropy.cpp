// wrote: return cross_entropy(x, y);
// write: return cross_entropy(x, argmax<1>(y));
// expect: Shape<4, 8>
// first-error: integer labels are the numbers of classes
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return cross_entropy(x, argmax<1>(y));
#else
        return cross_entropy(x, y);
#endif
      },
      in<f32, 4, 8>, in<i64, 4, 8>);
}
