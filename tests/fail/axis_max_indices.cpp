// wrote: max<1>(x).indices
// write: argmax<1>(x)
// expect: Shape<4>
// first-error: max<1>(x) is the values alone
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return argmax<1>(x);
#else
        return max<1>(x).indices;
#endif
      },
      in<f32, 4, 8>);
}
