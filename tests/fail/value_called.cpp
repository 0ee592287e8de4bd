// wrote: return x(2);
// write: return x * 2;
// expect: Shape<4, 8>
// first-error: a traced value is called as if it were a layer
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x * 2;
#else
        return x(2);
#endif
      },
      in<f32, 4, 8>);
}
