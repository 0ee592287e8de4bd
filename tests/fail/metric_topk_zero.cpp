// wrote: topk_accuracy<0>(x, y)
// write: topk_accuracy<5>(x, y)
// expect: AccuracyOp<0>
// first-error: among the k greatest logits
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return topk_accuracy<5>(x, y);
#else
        return topk_accuracy<0>(x, y);
#endif
      },
      in<f32, 4, 8>, in<i64, 4>);
}
