// wrote: cross_entropy(x, y), of labels (4, 1)
// write: cross_entropy(x, squeeze<-1>(y))
// expect: Shape<4, 8>
// first-error: the labels have an axis of extent 1 where the logits have the classes
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return cross_entropy(x, squeeze<-1>(y));
#else
        return cross_entropy(x, y);
#endif
      },
      in<f32, 4, 8>, in<i64, 4, 1>);
}
