// wrote: x.max(1).values
// write: max<1>(x)
// expect: Shape<4, 8>
// first-error: an operation is a function
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return max<1>(x);
#else
        return x.max(1).values;
#endif
      },
      in<f32, 4, 8>);
}
