// wrote: return layer_norm(x, {8});
// write: return layer_norm<8>(x);
// expect: Shape<4, 8>
// first-error: axes and sizes are template arguments, known while compiling: write
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return layer_norm<8>(x);
#else
        return layer_norm(x, {8});
#endif
      },
      in<f32, 4, 8>);
}
