// wrote: auto [low, high] = aminmax(x, 1);
// write: auto [low, high] = aminmax<1>(x);
// expect: spelled::aminmax
// first-error: axes and sizes are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto [low, high] = aminmax<1>(x);
        return low;
#else
        auto [low, high] = aminmax(x, 1);
        return low;
#endif
      },
      in<f32, 4, 8>);
}
