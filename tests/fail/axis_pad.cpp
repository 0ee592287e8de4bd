// wrote: return pad(x, {1, 1});
// write: return pad<1, 1>(x);
// expect: Shape<4, 8>
// first-error: axes and sizes are template arguments, known while compiling: write
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return pad<1, 1>(x);
#else
        return pad(x, {1, 1});
#endif
      },
      in<f32, 4, 8>);
}
