// wrote: return permute(x, {1, 0});
// write: return permute<1, 0>(x);
// expect: Shape<4, 8>
// first-error: axes and sizes are template arguments, known while compiling: write
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return permute<1, 0>(x);
#else
        return permute(x, {1, 0});
#endif
      },
      in<f32, 4, 8>);
}
