// wrote: accuracy(logits)
// write: accuracy(logits, labels)
// expect: Shape<4, 8>
// first-error: a metric takes the predictions and the labels:
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto y) { return accuracy(x, y); }, in<f32, 4, 8>, in<i64, 4>);
#else
  auto f = compile(
      Cpu{}, [](auto x, auto y) { return accuracy(x); }, in<f32, 4, 8>, in<i64, 4>);
#endif
}
