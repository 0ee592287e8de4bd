// wrote: normal<f32, 4>(0, -1)
// write: normal<f32, 4>(0, 1)
// expect: Shape<4>
// first-error: a standard deviation is not negative
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return x + y * normal<f32, 4>(0, 1);
#else
        return x + y * normal<f32, 4>(0, -1);
#endif
      },
      in<f32, 4>, in<f32, 4>);
}
