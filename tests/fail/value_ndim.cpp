// wrote: x.ndim == 2 ? x : y
// write: decltype(x)::rank == 2
// expect: spelled::ndim
// first-error: the number of axes decltype(x)::rank
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return decltype(x)::rank == 2 ? x : y;
#else
        return x.ndim == 2 ? x : y;
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
