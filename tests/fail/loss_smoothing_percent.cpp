// wrote: {.label_smoothing = 10}
// write: {.label_smoothing = 0.1}
// expect: Shape<4, 8>
// first-error: a label smoothing are numbers from 0 to 1
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return cross_entropy(x, y, {.label_smoothing = 0.1});
#else
        return cross_entropy(x, y, {.label_smoothing = 10});
#endif
      },
      in<f32, 4, 8>, in<i64, 4>);
}
