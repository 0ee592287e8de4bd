// wrote: topk_accuracy(logits, labels, 5)
// write: topk_accuracy<5>(logits, labels)
// expect: Shape<4, 8>
// first-error: topk_accuracy<k>(logits, labels):
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto y) { return topk_accuracy<5>(x, y); }, in<f32, 4, 8>, in<i64, 4>);
#else
  auto f = compile(
      Cpu{}, [](auto x, auto y) { return topk_accuracy(x, y, 5); }, in<f32, 4, 8>, in<i64, 4>);
#endif
}
