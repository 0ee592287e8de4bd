// wrote: x + normal(0, 1, {4, 8})
// write: x + normal<f32, 4, 8>(0, 1)
// expect: spelled::normal
// first-error: dtype and shape are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + normal<f32, 4, 8>(0, 1);
#else
        return x + normal(0, 1, {4, 8});
#endif
      },
      in<f32, 4, 8>);
}
