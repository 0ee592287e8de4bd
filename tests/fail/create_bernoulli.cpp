// wrote: x * bernoulli(0.5)
// write: x * bernoulli<f32, 8>(0.5f)
// expect: double
// first-error: bernoulli: one probability for all says no shape
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x * bernoulli<f32, 8>(0.5f);
#else
        return x * bernoulli(0.5);
#endif
      },
      in<f32, 8>);
}
