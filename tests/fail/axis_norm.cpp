// wrote: return norm(x, 2);
// write: return norm<>(x);
// expect: Shape<4, 8>
// first-error: axes and sizes are template arguments, known while compiling: write
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return norm<>(x);
#else
        return norm(x, 2);
#endif
      },
      in<f32, 4, 8>);
}
