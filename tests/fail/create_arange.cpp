// wrote: return x + arange(8);
// write: return x + arange<f32, 8>();
// expect: int
// first-error: dtype and shape are template arguments: write zeros<f32, 2, 3>(),
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + arange<f32, 8>();
#else
        return x + arange(8);
#endif
      },
      in<f32, 4, 8>);
}
