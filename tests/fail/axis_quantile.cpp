// wrote: return quantile(x, 0.5, 1);
// write: return quantile<1>(x, 0.5);
// expect: quantile
// first-error: axes and sizes are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return quantile<1>(x, 0.5);
#else
        return quantile(x, 0.5, 1);
#endif
      },
      in<f32, 4, 8>);
}
