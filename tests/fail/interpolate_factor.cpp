// wrote: interpolate<2>(x)
// write: interpolate<InterpolateOptions{.scale_factor = 2}>(x)
// expect: interpolate
// first-error: one template argument is the window or the size,
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return interpolate<InterpolateOptions{.scale_factor = 2}>(x);
#else
        return interpolate<2>(x);
#endif
      },
      in<f32, 2, 3, 8, 8>);
}
