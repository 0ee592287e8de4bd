// wrote: multi_margin_loss<reduction::mean, 3>(x, y)
// write: multi_margin_loss<reduction::mean, 2>(x, y)
// expect: MultiMargin
// first-error: the power being 1 or 2
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return multi_margin_loss<reduction::mean, 2>(x, y);
#else
        return multi_margin_loss<reduction::mean, 3>(x, y);
#endif
      },
      in<f32, 4, 8>, in<i64, 4>);
}
