// wrote: return max_pool2d<2>(x);
// write: return max_pool2d<2>(reshape<1, 1, 4, 8>(x));
// expect: Shape<4, 8>
// first-error: pooling takes (N, C, ...) or (C, ...) of floats and a window that
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return max_pool2d<2>(reshape<1, 1, 4, 8>(x));
#else
        return max_pool2d<2>(x);
#endif
      },
      in<f32, 4, 8>);
}
