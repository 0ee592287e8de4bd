// wrote: nll_loss(x, y), of log probabilities (2, 3, 8, 8) and labels (2, 8, 8)
// write: nll_loss<reduction::mean, 1>(x, y)
// expect: Shape<2, 3, 8, 8>
// first-error: the labels fit classes along axis 1
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return nll_loss<reduction::mean, 1>(x, y);
#else
        return nll_loss(x, y);
#endif
      },
      in<f32, 2, 3, 8, 8>, in<i64, 2, 8, 8>);
}
