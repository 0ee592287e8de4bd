// wrote: quantile(x, 90)
// write: quantile(x, 0.9)
// expect: Shape<4>
// first-error: a probability, the q of a quantile and a label smoothing are numbers from 0 to 1
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return x + quantile(y, 0.9);
#else
        return x + quantile(y, 90);
#endif
      },
      in<f32, 4>, in<f32, 4>);
}
