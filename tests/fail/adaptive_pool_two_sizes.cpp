// wrote: adaptive_avg_pool2d<2, 3>(x)
// write: adaptive_avg_pool2d<PerAxis{2, 3}>(x)
// expect: adaptive_avg_pool2d
// first-error: one template argument is the window or the size,
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return adaptive_avg_pool2d<PerAxis{2, 3}>(x);
#else
        return adaptive_avg_pool2d<2, 3>(x);
#endif
      },
      in<f32, 2, 3, 8, 8>);
}
