// wrote: const float s = sum(x); return x * s;
// write: return x * sum(x);
// expect: Shape<>
// first-error: a traced value is no number while the program compiles
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x * sum(x);
#else
        const float s = sum(x);
        return x * s;
#endif
      },
      in<f32, 4, 8>);
}
