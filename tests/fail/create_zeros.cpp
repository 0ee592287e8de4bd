// wrote: return x + zeros(4, 8);
// write: return x + zeros<f32, 4, 8>();
// expect: int
// first-error: dtype and shape are template arguments: write zeros<f32, 2, 3>(),
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + zeros<f32, 4, 8>();
#else
        return x + zeros(4, 8);
#endif
      },
      in<f32, 4, 8>);
}
