// wrote: max_pool2d<3, 2>(x)
// write: max_pool2d<3, PoolOptions{.stride = 2}>(x)
// expect: max_pool2d
// expect: Shape<2, 3, 8, 8>
// first-error: one template argument is the window or the size,
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return max_pool2d<3, PoolOptions{.stride = 2}>(x);
#else
        return max_pool2d<3, 2>(x);
#endif
      },
      in<f32, 2, 3, 8, 8>);
}
