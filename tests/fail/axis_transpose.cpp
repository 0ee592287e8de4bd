// wrote: return transpose(x, 0, 1);
// write: return transpose<0, 1>(x);
// expect: Shape<4, 8>
// first-error: axes and sizes are template arguments, known while compiling: write
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return transpose<0, 1>(x);
#else
        return transpose(x, 0, 1);
#endif
      },
      in<f32, 4, 8>);
}
