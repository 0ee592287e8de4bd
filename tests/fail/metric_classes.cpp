// wrote: confusion_matrix(predictions, labels)
// write: confusion_matrix<10>(predictions, labels)
// expect: ConfusionMatrixOp
// first-error: predictions do not say how many classes there are
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return confusion_matrix<10>(x, y);
#else
        return confusion_matrix(x, y);
#endif
      },
      in<i64, 32>, in<i32, 32>);
}
