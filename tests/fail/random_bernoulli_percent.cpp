// wrote: bernoulli<f32, 4>(25)
// write: bernoulli<f32, 4>(0.25)
// expect: Shape<4>
// first-error: a probability, the q of a quantile and a label smoothing are numbers from 0 to 1
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return x * bernoulli<f32, 4>(0.25) + y;
#else
        return x * bernoulli<f32, 4>(25) + y;
#endif
      },
      in<f32, 4>, in<f32, 4>);
}
