// wrote: x.sigmoid_()
// write: x = sigmoid(x)
// expect: spelled::sigmoid_
// first-error: a traced value is not changed in place
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        x = sigmoid(x);
        return x + y;
#else
        x.sigmoid_();
        return x + y;
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
