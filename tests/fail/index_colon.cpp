// wrote: index(x, ":", 1)
// write: index(x, every, 1)
// expect: IndexIsKnown
// first-error: index(x, ...): for each axis
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return index(x, every, 1);
#else
        return index(x, ":", 1);
#endif
      },
      in<f32, 4, 8>);
}
