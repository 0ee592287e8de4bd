// wrote: return one_hot(x, 10);
// write: return one_hot<10>(x);
// expect: Shape<4>
// first-error: axes and sizes are template arguments, known while compiling: write
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return one_hot<10>(x);
#else
        return one_hot(x, 10);
#endif
      },
      in<i64, 4>);
}
