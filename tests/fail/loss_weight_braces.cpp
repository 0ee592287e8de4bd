// wrote: cross_entropy(model(x), y, {1.0f, 2.0f, 5.0f})
// write: cross_entropy(model(x), y, w), w an input
// expect: WeightIsTensor
// nvcc: a third operand is a tensor of class weights
// first-error: a third operand is a tensor of class weights
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y, auto w) {
#ifdef WEFT_FIXED
        return cross_entropy(x, y, w);
#else
        return cross_entropy(x, y, {1.0f, 2.0f, 5.0f});
#endif
      },
      in<f32, 4, 3>, in<i64, 4>, in<f32, 3>);
}
