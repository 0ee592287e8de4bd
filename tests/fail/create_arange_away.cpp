// wrote: arange<i32, 0, 10, -1>()
// write: arange<i32, 9, -1, -1>()
// expect: steps, which lead there
// first-error: goes from begin to end in steps, which lead there
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + arange<i32, 9, -1, -1>();
#else
        return x + arange<i32, 0, 10, -1>();
#endif
      },
      in<f32, 4, 10>);
}
