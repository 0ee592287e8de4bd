// wrote: return cross_entropy(x, argmax<1>(x), 0.1);
// write: return cross_entropy(x, argmax<1>(x), {.label_smoothing = 0.1f});
// expect: double
// first-error: cross_entropy: a third operand is a tensor of class weights
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return cross_entropy(x, argmax<1>(x), {.label_smoothing = 0.1f});
#else
        return cross_entropy(x, argmax<1>(x), 0.1);
#endif
      },
      in<f32, 4, 8>);
}
