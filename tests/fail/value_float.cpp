// wrote: float first = float(sum(x)); return x * first;
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
        float first = float(sum(x));
        return x * first;
#endif
      },
      in<f32, 4, 8>);
}
