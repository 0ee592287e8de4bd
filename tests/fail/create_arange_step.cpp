// wrote: arange<f32, 0, 8, 0>()
// write: arange<f32, 0, 8, 2>()
// expect: GivenSize<0>
// first-error: in steps, which lead there and are not 0
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + arange<f32, 0, 8, 2>();
#else
        return x + arange<f32, 0, 8, 0>();
#endif
      },
      in<f32, 4>);
}
