// wrote: float first = sum(x).item(); return x * first;
// write: return x * sum(x);
// expect: Shape<>
// first-error: a traced value has no elements while the program compiles: return it,
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x * sum(x);
#else
        float first = sum(x).item();
        return x * first;
#endif
      },
      in<f32, 4, 8>);
}
