// wrote: x + normal<f32, 4, 8>(0, 1, seed{1})
// write: x + normal<f32, 4, 8>(0, 1)
// expect: spelled::normal
// first-error: takes no seed and no generator of its own
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + normal<f32, 4, 8>(0, 1);
#else
        return x + normal<f32, 4, 8>(0, 1, seed{1});
#endif
      },
      in<f32, 4, 8>);
}
