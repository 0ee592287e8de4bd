// wrote: full(4, 8, 0.5)
// write: full<f32, 4, 8>(0.5)
// expect: spelled::full
// nvcc: dtype and shape are template arguments
// first-error: dtype and shape are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + full<f32, 4, 8>(0.5);
#else
        return x + full(4, 8, 0.5);
#endif
      },
      in<f32, 4, 8>);
}
